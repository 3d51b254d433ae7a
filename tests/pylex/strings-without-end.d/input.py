a = "b c
d = 'e
f = r'g