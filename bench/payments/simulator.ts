/** Starts simulator-worker.ts, and reads its times. */
import { resolve } from 'node:path'
import { type Started, startScript } from '../ratios/processes.ts'

export type MeasuredSimulator = {
  readonly process: Started
  readonly url: string
  /** The time of each operation since the last call, by reference, in milliseconds. */
  takeTimes(): Promise<Readonly<Record<string, number>>>
}

export async function startMeasuredSimulator(folder: string): Promise<MeasuredSimulator> {
  const script = resolve(import.meta.dirname, 'simulator-worker.ts')
  const started = await startScript({ folder, name: 'simulator', script })
  const output = await started.waitForOutput('timesUrl')
  const { url, timesUrl } = JSON.parse(output.split('\n').find((line) => line.includes('timesUrl')) ?? '')
  const takeTimes = async () => (await (await fetch(timesUrl)).json()) as Record<string, number>
  return { process: started, url, takeTimes }
}
