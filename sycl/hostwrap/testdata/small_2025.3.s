# Registers device images with libsycl, for release 2025.3.
	.section .rodata.str1.1,"aMS",@progbits,1
.L1:
	.asciz ""
	.section .rodata.str1.1,"aMS",@progbits,1
.L2:
	.asciz "spir64"
	.section .rodata,"a",@progbits
	.balign 16
.L3:
	.incbin "k_0.spv"
.L4:
	.section .rodata.str1.1,"aMS",@progbits,1
.L5:
	.asciz "_ZTS1A"
	.section .rodata.str1.1,"aMS",@progbits,1
.L6:
	.asciz "_ZTS1B"
	.section .data.rel.ro,"aw",@progbits
	.balign 8
.L7:
	.quad 0
	.quad .L5
	.quad 0
	.quad 0
	.quad 0
	.quad .L6
	.quad 0
	.quad 0
.L8:
	.section .rodata.str1.1,"aMS",@progbits,1
.L9:
	.asciz "reqd_sub_group_size"
	.section .rodata.str1.1,"aMS",@progbits,1
.L10:
	.asciz "aspects"
	.section .rodata,"a",@progbits
	.balign 8
.L11:
	.ascii "@\000\000\000\000\000\000\000\006\000\000\000\034\000\000\000"
	.byte 0
	.section .data.rel.ro,"aw",@progbits
	.balign 8
.L12:
	.quad .L9
	.quad 0
	.quad 0x1
	.quad 0x10
	.quad .L10
	.quad .L11
	.quad 0x2
	.quad 0x10
.L13:
	.section .rodata.str1.1,"aMS",@progbits,1
.L14:
	.asciz "SYCL/device requirements"
	.section .data.rel.ro,"aw",@progbits
	.balign 8
.L15:
	.quad .L14
	.quad .L12
	.quad .L13
.L16:
	.section .rodata.str1.1,"aMS",@progbits,1
.L17:
	.asciz ""
	.section .rodata.str1.1,"aMS",@progbits,1
.L18:
	.asciz "spir64_gen"
	.section .rodata,"a",@progbits
	.balign 16
.L19:
	.incbin "a \"b\"\\\012.bin"
.L20:
	.section .data.rel.ro,"aw",@progbits
	.balign 8
.L21:
	.quad 0x2040002
	.quad .L2
	.quad .L1
	.quad .L1
	.quad 0
	.quad 0
	.quad .L3
	.quad .L4
	.quad .L7
	.quad .L8
	.quad .L15
	.quad .L16
	.quad 0x1040002
	.quad .L18
	.quad .L17
	.quad .L17
	.quad 0
	.quad 0
	.quad .L19
	.quad .L20
	.quad 0
	.quad 0
	.quad 0
	.quad 0
.L22:
	.section .data.rel.ro,"aw",@progbits
	.balign 8
.L23:
	.quad 0x20001
	.quad .L21
	.quad 0
	.quad 0
.L24:
	.text
.L25:
	endbr64
	leaq .L23(%rip), %rdi
	jmp __sycl_register_lib@PLT
	.section .init_array.00101,"aw",@init_array
	.balign 8
	.quad .L25
	.text
.L26:
	endbr64
	leaq .L23(%rip), %rdi
	jmp __sycl_unregister_lib@PLT
	.section .fini_array.00101,"aw",@fini_array
	.balign 8
	.quad .L26
	.section .note.GNU-stack,"",@progbits
