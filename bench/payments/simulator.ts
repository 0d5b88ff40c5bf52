/** Starts the simulator of simulator-worker.ts and speaks to it. */
import { resolve } from 'node:path'
import { type Started, startScript } from '../ratios/processes.ts'

export type MeasuredSimulator = {
  readonly process: Started
  readonly url: string
  /** How long it took for each operation since the last time, by reference, in milliseconds. */
  takeTimes(): Promise<Readonly<Record<string, number>>>
}

export async function startMeasuredSimulator(folder: string): Promise<MeasuredSimulator> {
  const script = resolve(import.meta.dirname, 'simulator-worker.ts')
  const started = await startScript({ folder, name: 'simulator', script })
  const words = await started.said('timesUrl')
  const { url, timesUrl } = JSON.parse(words.split('\n').find((line) => line.includes('timesUrl')) ?? '')
  const takeTimes = async () => (await (await fetch(timesUrl)).json()) as Record<string, number>
  return { process: started, url, takeTimes }
}
