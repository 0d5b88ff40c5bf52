// Payment links and client secrets stay valid when the master key is rotated and the old one is removed.

import { expect, test } from 'vitest'
import { createLink, payerAt } from '../../../../test/support/checkout.ts'
import { masterKey } from '../../../../test/support/sealing.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { rotateKeys } from '../../../operator.ts'

const simulator = await simulatorForThisFile()
const [older, newer] = ['2026-11', '2027-11'].map((id) => `${id}:${masterKey(id).key.toString('base64')}`)
const startWith = (MASTER_KEYS: string, environment: Record<string, string> = {}) =>
  switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url, MASTER_KEYS, ...environment } })

// Three servers with the same database: before, during and after the rotation.
const before = await startWith(`${older}`)
const shared = { DATABASE_URL: before.databaseUrl }
const during = await startWith(`${newer},${older}`, shared)
const after = await startWith(`${newer}`, shared)

test('payment links and checkout sessions can be paid after the master key was rotated and removed', async () => {
  const workspace = await before.newWorkspace()
  const { slug } = await createLink(workspace, { max_completions: null })
  const [payerBefore, payerAfter] = [before, after].map(({ addresses }) => payerAt(addresses.test))
  const opened = await payerBefore?.openSession(slug)
  const { body: created } = await workspace.post('/checkout-sessions', { amount: 1299, currency: 'eur' })

  const printed: string[] = []
  expect(await rotateKeys(during, (line) => printed.push(line)), printed.join('\n')).toBe(true)
  // A process started without the old key reads the keys that were encrypted again.
  expect(await after.signingKeys.load(after.deps.databases)).toEqual([])

  expect((await payerAfter?.fetchLink(slug))?.status).toBe(200)
  for (const session of [opened, created, await payerAfter?.openSession(slug)]) {
    expect((await payerAfter?.fetchSession(session))?.body).toMatchObject({ id: session.id, status: 'open' })
    expect((await payerAfter?.pay(session))?.body).toMatchObject({ id: session.id, status: 'completed' })
  }
})
