/** The milliseconds that this thread computes for `run`: unlike a clock, it does not count the neighbours. */
export function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
