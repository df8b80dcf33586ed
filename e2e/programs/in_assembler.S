	.globl in_assembler
	.section .rodata
	.balign 4
in_assembler:
	.long 40 + 2
	.section .note.GNU-stack,"",@progbits
