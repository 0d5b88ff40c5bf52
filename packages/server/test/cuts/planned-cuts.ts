// Assigns cuts to calls: the next call of a step of a payment gets the cut that was planned for it. The amount
// identifies the payment, because every call contains it, even calls that are made before the payment's id is known.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sender } from '../../src/providers/contract.ts'
import type { Performer } from '../../src/providers/perform.ts'
import { type Cut, cutHeader } from './cut-proxy.ts'

export const steps = ['authorize', 'complete', 'capture', 'void', 'refund', 'lookup'] as const
export type CutStep = (typeof steps)[number]

export type PlannedCut = {
  readonly step: CutStep
  readonly cut: Cut
  /** Whether every response to the authorization is lost until the cut has been applied. */
  readonly losesAuthorizations: boolean
}

export type PlannedCuts = {
  /** The name of the cut at the proxy. */
  plan(amount: number, planned: PlannedCut): string
  /** Adds the header of the cut to the call of a step. */
  wrapPerformer(performer: Performer): Performer
  wrapSender(sender: Sender): Sender
}

/**
 * The cut is after the status line. If no byte of the response arrived, the request would be sent again on
 * another connection.
 */
const bytesOfLoss = 40

export function createPlannedCuts(isApplied: (name: string) => boolean): PlannedCuts {
  const byAmount = new Map<number, PlannedCut>()
  const current = new AsyncLocalStorage<Readonly<Record<string, string>>>()
  const nameOf = (amount: number) => `cut-${amount}`
  let losses = 0

  const headersFor = (step: string, amount: number) => {
    const planned = byAmount.get(amount)
    if (planned === undefined || isApplied(nameOf(amount))) return {}
    if (planned.step === step) return cutHeader(nameOf(amount), planned.cut)
    if (!planned.losesAuthorizations || step !== 'authorize') return {}
    losses += 1
    return cutHeader(`loss-${losses}`, bytesOfLoss)
  }

  return {
    plan(amount, planned) {
      byAmount.set(amount, planned)
      return nameOf(amount)
    },
    wrapPerformer: (performer) => ({
      ...performer,
      perform: (task) =>
        current.run(headersFor(task.step, Number(task.input.money.amount)), () => performer.perform(task)),
    }),
    wrapSender: (sender) => ({
      send(request) {
        // Access tokens are not part of a step: without one, nothing is sent.
        const isAccessToken = request.url.endsWith('/oauth2/token')
        const headers = { ...request.headers, ...(isAccessToken ? {} : current.getStore()) }
        return sender.send({ ...request, headers })
      },
    }),
  }
}
