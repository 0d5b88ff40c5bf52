/**
 * The CPU time of this thread for `run`, in milliseconds. Unlike wall time, it is not affected by other
 * threads.
 */
export function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
