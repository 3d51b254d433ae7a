f"{a" b
f"{" c
f"{d)}" e
f"}" g
