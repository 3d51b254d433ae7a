f"{a
 + b  # c
}" f'''x
{d}
y'''
