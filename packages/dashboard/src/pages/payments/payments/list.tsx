/** All payments, the newest first. */
import type { ListPayments, Payment } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useTestClockFilter } from '../../../api/test-clocks.ts'
import { useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { useAccountName } from '../../accounts.ts'
import { otherFilters, periodFilters, periodOf } from '../period.ts'
import { paymentColumns } from './columns.tsx'
import { TestPayment } from './test-payment.tsx'

const statuses: readonly Payment['status'][] = [
  'succeeded',
  'failed',
  'processing',
  'requires_action',
  'requires_capture',
  'cancelled',
]

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: statuses, isExclusive: true },
  { name: 'review', label: 'Needs review', options: ['needs_review', 'conflict'], isExclusive: true },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…', kind: 'customer', isExclusive: true },
  { name: 'order_reference', label: 'Order number', placeholder: 'Order number', isExclusive: true },
  ...periodFilters,
]

export function Page() {
  const { workspace } = useWorkspace()
  const disabledReasonFor = useDisabledReason()
  const [isCreating, setCreating] = useState(false)
  const isTest = workspace.mode === 'test'
  return (
    <>
      <PageHead
        title="Payments"
        actions={
          <>
            <PageLink to="/exports" search={{ of: 'payments' }}>
              Export payments
            </PageLink>
            {isTest && (
              <Button
                variant="primary"
                disabledReason={disabledReasonFor('payments.create')}
                onClick={() => setCreating(true)}
              >
                Create test payment
              </Button>
            )}
          </>
        }
      />
      <Panel flush>
        <FilterBar filters={filters} />
        <List create={isTest ? () => setCreating(true) : null} />
      </Panel>
      {isCreating && <TestPayment close={() => setCreating(false)} />}
    </>
  )
}

function List({ create }: { create: (() => void) | null }) {
  const disabledReasonFor = useDisabledReason()
  const { filterValues } = useFilters(filters)
  const clocks = useTestClockFilter(filterValues)
  const rows = useRows(['payment', filterValues, clocks], (api, page) =>
    api.payments.list({
      ...otherFilters<ListPayments>(filterValues),
      ...periodOf(filterValues),
      ...clocks,
      ...page,
    }),
  )
  const nameOf = useAccountName()
  const newObjects = useNewObjects('payment')
  return (
    <DataTable
      label="Payments"
      columns={paymentColumns(nameOf)}
      rows={rows}
      to={({ id }) => `/payments/${id}`}
      newObjects={newObjects}
      empty={
        <NothingFound
          hasTestClocks
          filters={filters}
          title="No payments yet."
          action={
            create === null ? undefined : (
              <Button
                variant="primary"
                disabledReason={disabledReasonFor('payments.create')}
                onClick={create}
              >
                Create test payment
              </Button>
            )
          }
        >
          <p>Payments are created through the API, by payment links, or by subscriptions.</p>
          <div className="mt-3">
            <CodeCall call={example} open />
          </div>
        </NothingFound>
      }
    />
  )
}

const body = { amount: 1299, currency: 'eur', token: 'token_test_…' }
const example = {
  method: 'POST',
  path: '/payments',
  body,
  sdk: { method: 'payments.create', args: [body] },
} as const
