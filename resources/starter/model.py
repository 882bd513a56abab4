"""The decoder: Llama's forward pass with rotary pairs of neighbours, as GGUF's llama architecture has it, so that export permutes nothing."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Config:
    n_vocab: int = 2048
    n_ctx: int = 1024
    d_model: int = 128
    n_layers: int = 4
    n_heads: int = 4
    n_kv_heads: int = 2
    head_dim: int = 32
    d_ff: int = 384
    rope_theta: float = 10000.0
    norm_epsilon: float = 1e-5


class Norm(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(config.d_model))  # (d_model)
        self.epsilon = config.norm_epsilon

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, self.epsilon)


def rotate(x, cos, sin):
    """x: (batch, n_heads, n_tokens, head_dim); cos, sin: (n_tokens, head_dim / 2). Neighbours (2i, 2i+1) turn together."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = self.config = config
        q_dim, kv_dim = c.n_heads * c.head_dim, c.n_kv_heads * c.head_dim
        self.attn_norm = Norm(c)
        self.attn_q = nn.Linear(c.d_model, q_dim, bias=False)
        self.attn_k = nn.Linear(c.d_model, kv_dim, bias=False)
        self.attn_v = nn.Linear(c.d_model, kv_dim, bias=False)
        self.attn_output = nn.Linear(q_dim, c.d_model, bias=False)
        self.ffn_norm = Norm(c)
        self.ffn_gate = nn.Linear(c.d_model, c.d_ff, bias=False)
        self.ffn_up = nn.Linear(c.d_model, c.d_ff, bias=False)
        self.ffn_down = nn.Linear(c.d_ff, c.d_model, bias=False)

    def forward(self, x, cos, sin, past, dropout):
        c = self.config
        batch, n_tokens, _ = x.shape
        h = self.attn_norm(x)
        q = rotate(self.attn_q(h).view(batch, n_tokens, c.n_heads, c.head_dim).transpose(1, 2), cos, sin)
        k = rotate(self.attn_k(h).view(batch, n_tokens, c.n_kv_heads, c.head_dim).transpose(1, 2), cos, sin)
        v = self.attn_v(h).view(batch, n_tokens, c.n_kv_heads, c.head_dim).transpose(1, 2)
        if past is not None:
            if past:
                k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
            past[:] = [k, v]
        group = c.n_heads // c.n_kv_heads
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        h = F.scaled_dot_product_attention(q, k, v, is_causal=n_tokens > 1)
        h = self.attn_output(h.transpose(1, 2).reshape(batch, n_tokens, -1))
        x = x + F.dropout(h, dropout)
        h = self.ffn_norm(x)
        return x + F.dropout(self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h)), dropout)


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = self.config = config
        self.token_embd = nn.Embedding(c.n_vocab, c.d_model)  # tied: also the head
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.n_layers))
        self.output_norm = Norm(c)
        angles = torch.outer(torch.arange(c.n_ctx).float(), c.rope_theta ** (-torch.arange(0, c.head_dim, 2).float() / c.head_dim))
        self.register_buffer("cos", angles.cos(), persistent=False)  # (n_ctx, head_dim / 2)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                scale = (2 * c.n_layers) ** -0.5 if name.endswith(("attn_output.weight", "ffn_down.weight")) else 1.0
                nn.init.normal_(parameter, std=c.d_model**-0.5 * scale)

    def forward(self, tokens, past=None, dropout=0.0):
        """tokens: (batch, n_tokens) -> hidden rows (batch, n_tokens, d_model). `past`: one list per layer, filled with K and V; whole prompt first."""
        first = past[0][0].shape[2] if past and past[0] else 0
        cos, sin = (table[first : first + tokens.shape[1]] for table in (self.cos, self.sin))
        x = F.dropout(self.token_embd(tokens), dropout)
        for index, layer in enumerate(self.layers):
            x = layer(x, cos, sin, past[index] if past is not None else None, dropout)
        return self.output_norm(x)

    def logits(self, hidden):
        return hidden @ self.token_embd.weight.T

    @torch.no_grad()
    def generate(self, prompts, end, max_tokens=120, temperature=0.0, top_k=40, top_p=0.95, min_p=0.05, generator=None):
        """Answers to prompts of one length, (n_prompts, n_tokens) ids -> lists of ids without `end`. Temperature 0: always the likeliest."""
        past = [[] for _ in self.layers]
        hidden = self(prompts, past)
        answers, done = [[] for _ in prompts], [False] * len(prompts)
        for _ in range(max_tokens):
            logits = self.logits(hidden[:, -1])
            if temperature > 0:
                chosen = torch.stack([draw(row, temperature, top_k, top_p, min_p, generator) for row in logits])
            else:
                chosen = logits.argmax(-1)
            for i, token in enumerate(chosen.tolist()):
                done[i] = done[i] or token == end
                if not done[i]:
                    answers[i].append(token)
            if all(done):
                break
            hidden = self(chosen[:, None], past)
        return answers


def draw(logits, temperature, top_k, top_p, min_p, generator):
    """One token id by the app's default sampling: top-k, then top-p, then min-p, then temperature."""
    scores, ids = logits.topk(top_k)
    p = scores.softmax(-1)
    keep = (p.cumsum(-1) - p < top_p) & (p >= min_p * p[0])
    p = (scores[keep] / temperature).softmax(-1)
    return ids[keep][torch.multinomial(p, 1, generator=generator)[0]]
