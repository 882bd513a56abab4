// Integer dot product of four signed bytes each: instruction OpSDot of SPV_KHR_integer_dot_product, for compilers that
// do not know its GLSL extension. The capabilities are DotProductInput4x8BitPacked and DotProduct; format 0 says that the
// operands are packed.
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int packed_dot(int a, int b, spirv_literal int format);

int dot4(uint a, uint b) { return packed_dot(int(a), int(b), 0); }
