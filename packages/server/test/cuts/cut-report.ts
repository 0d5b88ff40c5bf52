// Runs all cuts of a connector, and counts their results.

import { runCallCases } from './call-cuts.ts'
import {
  type CaseResult,
  type CutCase,
  type CutProvider,
  type CutResult,
  openShop,
  runCases,
  stepsOf,
} from './cut-cases.ts'
import type { Cut } from './cut-proxy.ts'
import type { CutInstallation } from './installation.ts'
import type { CutStep } from './planned-cuts.ts'

/** Selects the bytes after which the response is cut, up to its complete length. */
export type SelectBytes = (responseBytes: number) => readonly number[]

export type StepCounts = Readonly<Record<CaseResult, number>> & {
  readonly step: CutStep
  readonly cuts: number
  readonly responseBytes: number
}

export type ConnectorReport = {
  readonly counts: readonly StepCounts[]
  /** Double charges, lost outcomes, and cuts that were not applied. */
  readonly faults: readonly string[]
}

/** A cut after all bytes of the response: the connection is closed when everything has arrived. */
const complete = Number.MAX_SAFE_INTEGER

type RunCases = (cases: readonly CutCase[]) => Promise<readonly CutResult[]>

/** Cuts the calls of the whole app. */
export function cutConnector(
  openInstallation: () => Promise<CutInstallation>,
  provider: CutProvider,
  selectBytes: SelectBytes,
): Promise<ConnectorReport> {
  // Each run has its own clock. At the end of a run its clock is days ahead, while HTTP responses still
  // contain the time of this machine, so the next run needs a new clock.
  return reportOf(provider, selectBytes, async (cases) => {
    const installation = await openInstallation()
    const results = await runCases(await openShop(installation, provider), cases)
    await installation.close()
    return results
  })
}

/** Cuts the calls of the connector alone, without the app. */
export function cutCalls(provider: CutProvider, selectBytes: SelectBytes): Promise<ConnectorReport> {
  return reportOf(provider, selectBytes, (cases) => runCallCases(provider, cases))
}

async function reportOf(
  provider: CutProvider,
  selectBytes: SelectBytes,
  run: RunCases,
): Promise<ConnectorReport> {
  const uncut = await run(stepsOf(provider).map((step) => ({ step, cut: complete })))
  const results = await run(
    uncut.flatMap(({ step, responseBytes }) =>
      [...connectionCuts, ...selectBytes(responseBytes)].map((cut) => ({ step, cut })),
    ),
  )
  const faults = [
    ...uncut.filter(({ result, wasCut }) => result !== 'succeeded' || !wasCut).map(faultOf),
    ...results.filter(isFault).map(faultOf),
  ]
  const counts = uncut.map(({ step, responseBytes }) => countsOf(step, responseBytes, results))
  return { counts, faults }
}

const connectionCuts: readonly Cut[] = ['before_request', 'after_request']

function isFault({ result, wasCut }: CutResult): boolean {
  return result === 'double_charge' || result === 'lost' || !wasCut
}

function faultOf({ step, cut, result, wasCut, details }: CutResult): string {
  return `${step}, cut ${cut}${wasCut ? '' : ' (not applied)'}: ${result}. ${details}`
}

function countsOf(step: CutStep, responseBytes: number, results: readonly CutResult[]): StepCounts {
  const ofStep = results.filter((one) => one.step === step)
  const count = (result: CaseResult) => ofStep.filter((one) => one.result === result).length
  return {
    step,
    responseBytes,
    cuts: ofStep.length,
    succeeded: count('succeeded'),
    failed: count('failed'),
    in_review: count('in_review'),
    double_charge: count('double_charge'),
    lost: count('lost'),
  }
}
