// The short version of `npm run test:cuts`: the response to every call of every connector is cut after some of its
// bytes. The provider charges once, and each outcome is known or needs review.

import { expect, test } from 'vitest'
import { connectors } from '../../src/providers/connectors.ts'
import { simulator as protocol } from '../../src/providers/custom/provider.ts'
import { newDatabase } from '../support/database.ts'
import type { CutProvider } from './cut-cases.ts'
import { type ConnectorReport, cutCalls, cutConnector } from './cut-report.ts'
import { openCutInstallation } from './installation.ts'

const open = async () => openCutInstallation(await newDatabase())

/** In the status line, in the headers, in the body, before the last byte, and after all bytes. */
const selectBytes = (responseBytes: number) => [
  0,
  5,
  30,
  Math.floor(responseBytes / 2),
  responseBytes - 1,
  responseBytes,
]

const providers: readonly CutProvider[] = [protocol, ...connectors]

function expectNoFaults({ counts, faults }: ConnectorReport): void {
  expect(faults).toEqual([])
  for (const { step, cuts, succeeded } of counts) {
    expect(cuts, step).toBe(8)
    expect(succeeded, step).toBeGreaterThan(0)
  }
}

test.each(providers)(
  '$id: a lost response neither charges twice nor loses an outcome',
  {
    timeout: 120_000,
  },
  async (provider) => {
    expectNoFaults(await cutConnector(open, provider, selectBytes))
  },
)

test.each(providers)(
  '$id: the connector without the app neither charges twice nor loses an outcome',
  {
    timeout: 120_000,
  },
  async (provider) => {
    expectNoFaults(await cutCalls(provider, selectBytes))
  },
)
