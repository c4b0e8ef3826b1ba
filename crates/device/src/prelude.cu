/* The common part of C and CUDA C++. A GPU runs a kernel with many threads. On the host one thread runs it from its first item to
 * its last. */

typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void
#define INNER static __device__ __forceinline__
#define FIRST ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE ((u64)gridDim.x * blockDim.x)
#else
#define KERNEL void
#define INNER static inline
#define FIRST 0
#define STRIDE 1
#endif

/* The upper half of a product. */
INNER u64 high_product(u64 a, u64 b) {
#ifdef __CUDACC__
    return __umul64hi(a, b);
#else
    return (u64)(((unsigned __int128)a * b) >> 64);
#endif
}

/* Adds the sums of one thread to those of all. Every thread of a block must call it. */
#ifdef __CUDACC__
#define ADD_UP(all, own, count)                                                                                          \
    do {                                                                                                                 \
        __shared__ u64 block_[count];                                                                                    \
        if (threadIdx.x < (count)) block_[threadIdx.x] = 0;                                                              \
        __syncthreads();                                                                                                 \
        for (int i_ = 0; i_ < (count); i_++) {                                                                           \
            u64 sum_ = (own)[i_];                                                                                        \
            for (int far_ = 16; far_ > 0; far_ /= 2) sum_ += __shfl_down_sync(0xffffffffu, sum_, far_);                  \
            if ((threadIdx.x & 31) == 0 && sum_ != 0) atomicAdd(&block_[i_], sum_);                                      \
        }                                                                                                                \
        __syncthreads();                                                                                                 \
        if (threadIdx.x < (count) && block_[threadIdx.x] != 0) atomicAdd(&(all)[threadIdx.x], block_[threadIdx.x]);      \
    } while (0)
#else
#define ADD_UP(all, own, count)                                                                                          \
    do {                                                                                                                 \
        for (int i_ = 0; i_ < (count); i_++) (all)[i_] += (own)[i_];                                                     \
    } while (0)
#endif
