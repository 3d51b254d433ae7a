1if x else 0x1for 1or 0or 1_a 1__0 0b12 1jif 0xfor
