// The providers with which the crash points of payments are tested. Starting a process for each point and each provider
// takes minutes, so each point runs with one of them, in turn, and `npm run test:crashes` runs all of them.

import { connectors } from '../../../src/providers/connectors.ts'
import type { OperationKind, Resolution } from '../../../src/providers/contract.ts'

export type CrashProvider = {
  readonly name: string
  readonly acceptsCardNumbers: boolean
  /** Whether the provider recognizes a repeated request. */
  readonly canRepeat: boolean
  /** Whether an operation that the provider did not receive ends after a day, because a lookup proves that. */
  readonly provesAbsence: (kind: OperationKind) => boolean
  /** Whether calls need an access token, which is fetched first. */
  readonly usesAccessToken: boolean
  /** Whether the payer is charged only by a call after the return. */
  readonly isCompletedByUs: boolean
  /** Whether the provider reports the result of some operations later. */
  readonly isAsynchronous: boolean
}

const simulator: CrashProvider = {
  name: 'simulator',
  acceptsCardNumbers: true,
  canRepeat: true,
  provesAbsence: () => false,
  usesAccessToken: false,
  isCompletedByUs: true,
  isAsynchronous: false,
}

const asynchronous = ['adyen', 'mollie', 'checkout_com']

export const crashProviders: readonly [CrashProvider, ...CrashProvider[]] = [
  simulator,
  ...connectors.map(({ id, setup, resolve, accessToken }) => ({
    name: id,
    acceptsCardNumbers: setup?.cardData === 'pan_or_token',
    canRepeat: resolve.replayHours > 0,
    provesAbsence: (kind: OperationKind) => provesAbsence(resolve, kind),
    usesAccessToken: accessToken !== undefined,
    isCompletedByUs: resolve.completedByUs,
    isAsynchronous: asynchronous.includes(id),
  })),
]

function provesAbsence({ absentIsFinalAfterMinutes, neverAbsent = [] }: Resolution, kind: OperationKind) {
  return absentIsFinalAfterMinutes !== null && !neverAbsent.includes(kind)
}

type Turns = {
  /** The providers of the next point. */
  next(isPossible?: (provider: CrashProvider) => boolean): readonly CrashProvider[]
}

/** A test: its cases run concurrently or one after the other. */
type Run<Item, Case> = { readonly item: Item; readonly label: string; readonly cases: readonly Case[] }

/** What `npm run test:crashes` runs. Without a provider or a point, it runs all of them. */
type Selection = { readonly provider?: string; readonly point?: string }

/** Null: each point runs with one provider. */
function readSelection(points: readonly string[]): Selection | null {
  const text = process.env.SWITCHYARD_TEST_CRASHES ?? ''
  if (text === '') return null
  const selection = JSON.parse(text) as Selection
  requireOneOf(
    crashProviders.map(({ name }) => name),
    selection.provider,
  )
  requireOneOf(points, selection.point)
  return selection
}

function requireOneOf(names: readonly string[], name: string | undefined): void {
  if (name !== undefined && !names.includes(name))
    throw new Error(`${name} is not one of: ${[...new Set(names)].join(', ')}`)
}

/** `points` are the names of all crash points. */
export function providersInTurn(points: readonly string[]) {
  const selection = readSelection(points)
  let turn = 0
  const inTurn: Turns = {
    next(isPossible = () => true) {
      const possible = crashProviders.filter(isPossible)
      turn += 1
      return [possible[turn % possible.length] as CrashProvider]
    },
  }
  const only = (provider: CrashProvider): Turns => ({
    next: (isPossible = () => true) => [provider].filter(isPossible),
  })

  return {
    /** One test for each item, or with `npm run test:crashes` one for each item and provider. */
    runsOf<Item, Case extends { readonly point: readonly [name: string, ...unknown[]] }>(
      items: readonly Item[],
      casesOf: (item: Item, providers: Turns) => readonly Case[],
    ): readonly Run<Item, Case>[] {
      const runs = items.flatMap((item) =>
        selection === null
          ? [{ item, label: 'providers in turn', cases: casesOf(item, inTurn) }]
          : crashProviders
              .filter(({ name }) => name === (selection.provider ?? name))
              .map((provider) => ({
                item,
                label: provider.name,
                cases: casesOf(item, only(provider)).filter(
                  ({ point: [name] }) => name === (selection.point ?? name),
                ),
              })),
      )
      return runs.filter(({ cases }) => cases.length > 0)
    },
  }
}
