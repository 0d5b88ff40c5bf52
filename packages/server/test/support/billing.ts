// Invoices on the real service with a real simulator, whose ledger is the judge of what was taken.

import { vi } from 'vitest'
import type { Invoice } from '../../src/domains/invoices/service.ts'
import type { Id } from '../../src/kernel/id.ts'
import { settle } from '../../src/platform/engine/settle.ts'
import { works } from '../../src/worker.ts'
import { draftIn, type Wish } from './invoices.ts'
import { anAttached, impatient } from './payment-methods.ts'
import { simulatorForThisFile } from './simulator.ts'
import { switchyardForThisFile, type Workspace } from './switchyard.ts'

export async function billingForThisFile() {
  const simulator = await simulatorForThisFile()
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    overrides: impatient,
  })
  const { deps } = switchyard
  // The subscriptions of these invoices are made up, so nobody above invoices is told of what happens to them.
  const ofInvoices = works.filter(({ name }) => !/^(subscription|dunning|invoice\.dun)/.test(name))
  const settleInvoices = () => settle(deps, ofInvoices)

  /** What every account of the workspace does from now on. */
  const configureAll = async ({ get }: Workspace, changes: Parameters<typeof simulator.configure>[1]) => {
    const { body } = await get('/provider-accounts')
    for (const { id } of body.data) await simulator.configure(id, changes)
  }

  return {
    ...switchyard,
    settle: settleInvoices,
    simulator,
    configureAll,
    /** A customer with a card that is approved. */
    async aPayer(workspace: Workspace) {
      const customerId = (await workspace.aCustomer()) as Id<'customer'>
      const paymentMethodId = (await anAttached(workspace, customerId)) as Id<'payment_method'>
      return { customerId, paymentMethodId }
    },
    draft: ({ workspaceId }: Workspace, wish: Wish): Promise<Invoice> => draftIn(deps, workspaceId, wish),
    /** One that was finalized and is not tried by itself. */
    async anOpen(workspace: Workspace, wish: Wish): Promise<string> {
      const { id } = await draftIn(deps, workspace.workspaceId, { collect: 'never', ...wish })
      await workspace.post(`/invoices/${id}/finalize`)
      return id
    },
    invoiceOf: async ({ get }: Workspace, id: string) => (await get(`/invoices/${id}`)).body,
    /** Until the payment that was begun for it has ended; nobody waits for that but this. */
    quiet: ({ get }: Workspace, id: string) =>
      vi.waitFor(
        async () => {
          const { body } = await get(`/invoices/${id}`)
          if (body.payment_state !== 'none') throw new Error(`Its payment is ${body.payment_state}.`)
          return body
        },
        { timeout: 10_000, interval: 20 },
      ),
    /** What the ledgers of all accounts say about the payments of an invoice, together. */
    async sumsOf({ get }: Workspace, invoiceId: string) {
      const { body } = await get('/payments?limit=100')
      const own = body.data.filter((one: { invoice_id: string }) => one.invoice_id === invoiceId)
      let [approvals, captured, refunded] = [0, 0, 0]
      for (const { id } of own) {
        const answer = await fetch(`${simulator.url}/control/sums?payment_id=${id}`)
        const { sums } = (await answer.json()) as { sums: Sums[] }
        approvals += sums[0]?.approvals ?? 0
        captured += sums[0]?.captured ?? 0
        refunded += sums[0]?.refunded ?? 0
      }
      return { payments: own.length, approvals, captured, refunded }
    },
    typesOf: async ({ eventsOf }: Workspace, id: string): Promise<string[]> =>
      (await eventsOf(id)).map(({ type }: { type: string }) => type),
    /** The world goes on, and the resolver asks. */
    async letTimePass(rounds = 4): Promise<void> {
      for (let round = 0; round < rounds; round += 1) {
        switchyard.clock.advance({ seconds: 75 })
        const body = JSON.stringify({ advance_ms: 75_000 })
        await fetch(`${simulator.url}/control/time`, { method: 'POST', body })
        await settleInvoices()
      }
    },
  }
}

type Sums = { readonly approvals: number; readonly captured: number; readonly refunded: number }
