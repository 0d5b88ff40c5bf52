// The short version of `npm run test:cuts`: the response to every call of every connector is cut after some of its
// bytes. The provider charges once, and each outcome is known or needs review.

import { expect, test } from 'vitest'
import { connectors } from '../../src/providers/connectors.ts'
import { newDatabase } from '../support/database.ts'
import { cutConnector } from './cut-report.ts'
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

test.each(connectors)(
  '$id: a lost response neither charges twice nor loses an outcome',
  {
    timeout: 120_000,
  },
  async (provider) => {
    const { counts, faults } = await cutConnector(open, provider, selectBytes)

    expect(faults).toEqual([])
    for (const { step, cuts, succeeded } of counts) {
      expect(cuts, step).toBe(8)
      expect(succeeded, step).toBeGreaterThan(0)
    }
  },
)
