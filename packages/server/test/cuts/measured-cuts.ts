// The measured results of cuts in perf/lost-responses.json, from which the pages of the connectors are generated.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { StepCounts } from './cut-report.ts'

const file = new URL('../../../../perf/lost-responses.json', import.meta.url)

export type MeasuredCuts = {
  /** Such as `2026-11-30`. */
  readonly measuredOn: string
  /** 1: each byte of the response was a position of a cut; 7: each seventh. */
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
