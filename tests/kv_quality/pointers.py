"""Lists of who points to whom, with chains that follow the pointers: text in which far tokens decide what comes next."""

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu", "xa")
N_HOPS = 3


def names_of(rng, n):
    """n different names of three syllables. Few syllables, so that many names are alike but for one."""
    names = set()
    while len(names) < n:
        names.add("".join(rng.choice(SYLLABLES) for _ in range(3)))
    return rng.sample(sorted(names), n)


def make_list(rng, n_names, n_chains):
    """Lines of pointers in random order, all names in one ring, and chains of N_HOPS pointers from random names."""
    names = names_of(rng, n_names)
    points_to = {name: names[(i + 1) % n_names] for i, name in enumerate(names)}
    lines = [f"{name} points to {target}.\n" for name, target in points_to.items()]
    rng.shuffle(lines)
    for name in [rng.choice(names) for _ in range(n_chains)]:
        chain = [name]
        for _ in range(N_HOPS):
            chain.append(points_to[chain[-1]])
        lines.append(" > ".join(chain) + "\n")
    return "\n" + "".join(lines)
