// With a card vault of another service, no card number is in the memory of Switchyard: a heap snapshot of the server, taken
// after payments that succeeded, failed and ended with an unknown outcome, does not contain the number.

import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vaultFaults } from '../../../simulator/src/vaults/vault-state.ts'
import { planFaults, storeAtVault, useVault, type VaultName } from '../support/vaults.ts'
import { sendRequest, startPaymentInstallation } from './support/payment-installation.ts'

const { switchyard, simulator, start } = await startPaymentInstallation()

/** Not one of the test cards, whose numbers are in the code. The emulators decline it. */
const number = '4929931337421339'
const faults = [null, ...vaultFaults]

test('the memory of a server with a card vault contains no card number', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-heap-'))
  const server = await start('api', undefined, {
    NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`,
  })
  for (const vault of ['basis_theory', 'vgs'] as const) await payWithFaults(vault)

  server.process.kill('SIGUSR2')
  const snapshot = await waitForSnapshot(folder)
  expect(await contains(snapshot, number)).toBe(false)
  // The snapshot is complete, and contains what the server has in memory.
  expect(await contains(snapshot, simulator.url)).toBe(true)
  await server.kill('SIGTERM')
  await rm(folder, { recursive: true })

  async function payWithFaults(vault: VaultName): Promise<void> {
    const workspace = await switchyard.newWorkspace()
    await useVault(workspace, vault, ['stripe', 'adyen'])
    for (const [nth, fault] of faults.entries()) {
      const body = await storeAtVault(simulator.url, vault, number)
      const token = await sendRequest(server, workspace, { path: '/tokens', key: `token-${nth}`, body })
      expect(token.status).toBe(201)
      const { id } = (await token.json()) as { id: string }
      await planFaults(simulator.url, [fault])
      const payment = { amount: 1299, currency: 'eur', token: id }
      const paid = await sendRequest(server, workspace, {
        path: '/payments',
        key: `order-${nth}`,
        body: payment,
      })
      expect([201, 202, 402]).toContain(paid.status)
    }
  }
})

/** The snapshot is complete when its file no longer grows. */
async function waitForSnapshot(folder: string): Promise<string> {
  let file = ''
  let size = 0
  const isComplete = async () => {
    const [name] = await readdir(folder)
    if (name === undefined) return false
    file = join(folder, name)
    const before = size
    size = (await stat(file)).size
    return size > 0 && size === before
  }
  await expect.poll(isComplete, { timeout: 60_000, interval: 1_000 }).toBe(true)
  return file
}

/** Searches a file of hundreds of megabytes in chunks. */
async function contains(file: string, text: string): Promise<boolean> {
  let previous = ''
  for await (const chunk of createReadStream(file, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const part = previous + chunk
    if (part.includes(text)) return true
    previous = part.slice(-text.length)
  }
  return false
}
