/** All payments, the newest first. */
import type { ListPayments, Payment } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useHere, useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { useAccountName } from '../../accounts.ts'
import { beside, periodFilters, periodOf } from '../period.ts'
import { paymentColumns } from './columns.tsx'
import { TestPayment } from './test-payment.tsx'

const statuses: readonly Payment['status'][] = [
  ...(['succeeded', 'failed', 'processing'] as const),
  ...(['requires_action', 'requires_capture', 'cancelled'] as const),
]

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: statuses, isAlone: true },
  { name: 'review', label: 'Needs a person', options: ['needs_review', 'conflict'], isAlone: true },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…', isAlone: true },
  { name: 'order_reference', label: 'Order', placeholder: 'Your number of the order', isAlone: true },
  ...periodFilters,
]

export function Page() {
  const { workspace } = useHere()
  const may = useMay()
  const [isMaking, setMaking] = useState(false)
  const isTest = workspace.mode === 'test'
  return (
    <>
      <PageHead
        title="Payments"
        actions={
          isTest && (
            <Button look="primary" refused={may('payments.create')} onClick={() => setMaking(true)}>
              Make a test payment
            </Button>
          )
        }
      />
      <Panel flush>
        <FilterBar filters={filters} />
        <List make={isTest ? () => setMaking(true) : null} />
      </Panel>
      {isMaking && <TestPayment close={() => setMaking(false)} />}
    </>
  )
}

function List({ make }: { make: (() => void) | null }) {
  const may = useMay()
  const { chosen } = useFilters(filters)
  const rows = useRows(['payment', chosen], (api, page) =>
    api.payments.list({ ...beside<ListPayments>(chosen), ...periodOf(chosen), ...page }),
  )
  const nameOf = useAccountName()
  const fresh = useFresh('payment')
  return (
    <DataTable
      label="Payments"
      columns={paymentColumns(nameOf)}
      rows={rows}
      to={({ id }) => `/payments/${id}`}
      fresh={fresh}
      empty={
        <NothingFound
          filters={filters}
          title="No payments yet."
          action={
            make === null ? undefined : (
              <Button look="primary" refused={may('payments.create')} onClick={make}>
                Make a test payment
              </Button>
            )
          }
        >
          <p>A payment is made by your server, by a payment link, or by a subscription.</p>
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
