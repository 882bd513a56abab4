// What is done with a product.
const uint kStore = 0, kAdd = 1, kGate = 2, kCap = 3;
