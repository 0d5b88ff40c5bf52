// Two thousand subscriptions renew at the same time on three workers, while two workers are killed, messages
// are repeated, and NATS loses its store. Each subscription gets exactly one invoice, invoice numbers have no
// gaps, and each collected invoice is charged once according to the ledger of the provider.

import { expect, test } from 'vitest'
import type { ServerProcess } from '../support/server-process.ts'
import { startRenewalInstallation } from './support/renewal-installation.ts'
import { until } from './support/wait.ts'

const [large, small, collected] = [1_200, 500, 300]
const total = large + small + collected

const installation = await startRenewalInstallation()
const waitUntilNumbered = (count: number) =>
  until(`${count} invoices are numbered`, async () => (await installation.countNumbered()) >= count, {
    withinMs: 120_000,
    everyMs: 100,
  })

test('2,000 renewals create one invoice each and charge once, although workers are killed and NATS loses its store', {
  timeout: 300_000,
}, async () => {
  const dueAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  const testWorkspace = await installation.addCollected(collected, dueAt)
  await installation.addUncollected(large, dueAt)
  await installation.addUncollected(small, dueAt)

  const startedMs = performance.now()
  const workers = await Promise.all([
    installation.startWorker(),
    installation.startWorker(),
    installation.startWorker(),
  ])
  const stopRepeating = await installation.repeatMessages()
  await waitUntilNumbered(total / 4)
  // The reconciler is killed first, so that another process must take over that role.
  const isLeader = ({ lines }: ServerProcess) =>
    lines.some((line) => line.includes('This process is the reconciler.'))
  const [leader, second] = workers.toSorted((a, b) => Number(isLeader(b)) - Number(isLeader(a)))
  await leader?.kill('SIGKILL')
  await until('some payments are in progress', async () => (await installation.countSending()) > 0, {
    everyMs: 20,
  })
  await second?.kill('SIGKILL')
  await installation.wipeNats()
  await installation.startWorker()
  await waitUntilNumbered(total)
  await stopRepeating()
  const invoicedMs = performance.now()
  await installation.waitUntilPaid(120_000)

  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(`renewals: ${total} invoiced after ${seconds(invoicedMs - startedMs)} s`)
  console.log(`renewals: ${collected} of them paid after ${seconds(performance.now() - startedMs)} s`)
  expect(await installation.findViolations(testWorkspace)).toEqual([])
})
