
if a:
	b 
