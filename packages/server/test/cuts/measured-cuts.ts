// Reads and writes perf/lost-responses.json: what happened when the connection to a provider was cut during a
// response. The pages of the connectors are generated from it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { StepCounts } from './cut-report.ts'

const file = new URL('../../../../perf/lost-responses.json', import.meta.url)

export type MeasuredCuts = {
  /** Such as `2026-11-30`. */
  readonly measuredOn: string
  /** The response was cut after every byte if this is 1, after every seventh byte if it is 7. */
  readonly every: number
  readonly calls: readonly StepCounts[]
}

/** The results by the id of the connector. */
export function readMeasuredCuts(): Readonly<Record<string, MeasuredCuts>> {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** Replaces the results of one connector. */
export function writeMeasuredCuts(connector: string, measured: MeasuredCuts): void {
  const all = { ...readMeasuredCuts(), [connector]: measured }
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
}
