f"\N{EM DASH}{{a}}\{b}\"{c}" rf"\N{d}"
