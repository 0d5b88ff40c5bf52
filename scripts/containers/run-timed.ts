/** Runs a step and prints its duration. */
export async function runTimed<T>(label: string, body: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  const result = await body()
  printDuration(startedMs, label)
  return result
}

export function printDuration(startedMs: number, label: string): void {
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(7)} s  ${label}`)
}
