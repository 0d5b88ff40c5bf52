// A server with the simulator for tests of invoices. The ledger of the simulator shows what was charged.

import { vi } from 'vitest'
import type { Invoice } from '../../src/domains/billing/invoices/service.ts'
import type { Id } from '../../src/kernel/id.ts'
import { workTypes } from '../../src/work-types.ts'
import { createDraftInvoice, type InvoiceOptions } from './invoices.ts'
import { createAttachedMethod, shortTimeouts } from './payment-methods.ts'
import { settleThisTest } from './settle.ts'
import { simulatorForThisFile } from './simulator.ts'
import { switchyardForThisFile, type Workspace } from './switchyard.ts'

export async function billingForThisFile() {
  const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    overrides: shortTimeouts,
  })
  const { deps } = switchyard
  // The subscriptions of these invoices do not exist, so the work of subscriptions and dunning is excluded.
  const invoiceWorkTypes = workTypes.filter(({ name }) => !/^(subscription|dunning|invoice\.dun)/.test(name))
  const settleInvoices = () => settleThisTest(deps, invoiceWorkTypes)

  /** Configures every account of the workspace. */
  const configureAll = async ({ get }: Workspace, changes: Parameters<typeof simulator.configure>[1]) => {
    const { body } = await get('/provider-accounts')
    for (const { id } of body.data) await simulator.configure(id, changes)
  }

  return {
    ...switchyard,
    settle: settleInvoices,
    simulator,
    configureAll,
    /** Creates a customer with a saved card that is approved. */
    async aPayer(workspace: Workspace) {
      const customerId = (await workspace.aCustomer()) as Id<'customer'>
      const paymentMethodId = (await createAttachedMethod(workspace, customerId)) as Id<'payment_method'>
      return { customerId, paymentMethodId }
    },
    draft: ({ workspaceId }: Workspace, options: InvoiceOptions): Promise<Invoice> =>
      createDraftInvoice(deps, workspaceId, options),
    /** Creates a finalized invoice that is not collected automatically. */
    async createOpenInvoice(workspace: Workspace, options: InvoiceOptions): Promise<string> {
      const { id } = await createDraftInvoice(deps, workspace.workspaceId, { collect: 'never', ...options })
      await workspace.post(`/invoices/${id}/finalize`)
      return id
    },
    fetchInvoice: async ({ get }: Workspace, id: string) => (await get(`/invoices/${id}`)).body,
    /** Waits until the payment of the invoice has ended. */
    waitForPaymentEnd: ({ get }: Workspace, id: string) =>
      vi.waitFor(
        async () => {
          const { body } = await get(`/invoices/${id}`)
          if (body.payment_state !== 'none')
            throw new Error(`The payment of the invoice is ${body.payment_state}.`)
          return body
        },
        { timeout: 10_000, interval: 20 },
      ),
    /** The totals of an invoice's payments in the ledgers of all accounts. */
    async fetchTotals({ get }: Workspace, invoiceId: string) {
      const { body } = await get('/payments?limit=100')
      const payments = body.data.filter((payment: { invoice_id: string }) => payment.invoice_id === invoiceId)
      let [approvals, captured, refunded] = [0, 0, 0]
      for (const { id } of payments) {
        const response = await fetch(`${simulator.url}/control/sums?payment_id=${id}`)
        const { sums } = (await response.json()) as { sums: Totals[] }
        approvals += sums[0]?.approvals ?? 0
        captured += sums[0]?.captured ?? 0
        refunded += sums[0]?.refunded ?? 0
      }
      return { payments: payments.length, approvals, captured, refunded }
    },
    eventTypesOf: async ({ eventsOf }: Workspace, id: string): Promise<string[]> =>
      (await eventsOf(id)).map(({ type }: { type: string }) => type),
    /**
     * Advances the clocks of the server and the simulator, and runs due work, so that unknown outcomes are
     * resolved.
     */
    async advanceTime(rounds = 4): Promise<void> {
      for (let round = 0; round < rounds; round += 1) {
        switchyard.clock.advance({ seconds: 75 })
        const body = JSON.stringify({ advance_ms: 75_000 })
        await fetch(`${simulator.url}/control/time`, { method: 'POST', body })
        await settleInvoices()
      }
    },
  }
}

type Totals = { readonly approvals: number; readonly captured: number; readonly refunded: number }
