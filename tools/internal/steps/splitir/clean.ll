; Cleans up the modules in the files that its arguments name, as opt does, and replaces the text in
; each file with bitcode. It exits with 1 at the first file that it cannot read or write.
;
; It calls the functions of llvm-c, like a C program that uses LLVM's library. lli, which runs this
; program, contains that library.

@name = private constant [8 x i8] c"<stdin>\00"
@passes = private constant [46 x i8] c"always-inline,globaldce,strip-dead-prototypes\00"

declare ptr @LLVMContextCreate()
declare void @LLVMContextDispose(ptr)
declare i32 @LLVMCreateMemoryBufferWithContentsOfFile(ptr, ptr, ptr)
declare ptr @LLVMGetBufferStart(ptr)
declare i64 @LLVMGetBufferSize(ptr)
declare ptr @LLVMCreateMemoryBufferWithMemoryRangeCopy(ptr, i64, ptr)
declare void @LLVMDisposeMemoryBuffer(ptr)
declare i32 @LLVMParseIRInContext(ptr, ptr, ptr, ptr)
declare i32 @LLVMVerifyModule(ptr, i32, ptr)
declare ptr @LLVMCreatePassBuilderOptions()
declare ptr @LLVMRunPasses(ptr, ptr, ptr, ptr)
declare i32 @LLVMWriteBitcodeToFile(ptr, ptr)
declare void @LLVMDisposeModule(ptr)

define i32 @main(i32 %argc, ptr %argv) {
entry:
  %slot = alloca ptr
  %message = alloca ptr
  %options = call ptr @LLVMCreatePassBuilderOptions()
  br label %next

next:
  %i = phi i32 [ 1, %entry ], [ %after, %done ]
  %more = icmp slt i32 %i, %argc
  br i1 %more, label %one, label %good

one:
  %at = getelementptr ptr, ptr %argv, i32 %i
  %file = load ptr, ptr %at
  %unread = call i32 @LLVMCreateMemoryBufferWithContentsOfFile(ptr %file, ptr %slot, ptr %message)
  %read = icmp eq i32 %unread, 0
  br i1 %read, label %parse, label %bad

parse:
  %content = load ptr, ptr %slot
  %start = call ptr @LLVMGetBufferStart(ptr %content)
  %size = call i64 @LLVMGetBufferSize(ptr %content)
  %text = call ptr @LLVMCreateMemoryBufferWithMemoryRangeCopy(ptr %start, i64 %size, ptr @name)
  call void @LLVMDisposeMemoryBuffer(ptr %content)
  %context = call ptr @LLVMContextCreate()
  %wrong = call i32 @LLVMParseIRInContext(ptr %context, ptr %text, ptr %slot, ptr %message)
  %parsed = icmp eq i32 %wrong, 0
  br i1 %parsed, label %verify, label %bad

verify:
  %module = load ptr, ptr %slot
  %broken = call i32 @LLVMVerifyModule(ptr %module, i32 2, ptr %message)
  %whole = icmp eq i32 %broken, 0
  br i1 %whole, label %clean, label %bad

clean:
  %error = call ptr @LLVMRunPasses(ptr %module, ptr @passes, ptr null, ptr %options)
  %ran = icmp eq ptr %error, null
  br i1 %ran, label %write, label %bad

write:
  %unwritten = call i32 @LLVMWriteBitcodeToFile(ptr %module, ptr %file)
  %written = icmp eq i32 %unwritten, 0
  br i1 %written, label %done, label %bad

done:
  call void @LLVMDisposeModule(ptr %module)
  call void @LLVMContextDispose(ptr %context)
  %after = add i32 %i, 1
  br label %next

good:
  ret i32 0

bad:
  ret i32 1
}
