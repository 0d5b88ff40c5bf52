/** The latest payments, refreshed by polling. */
import { useRows } from '../../api/queries.ts'
import { useTestClocks } from '../../api/test-clocks.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ErrorPanel, Skeleton } from '../../ui/states.tsx'
import { PlainTable } from '../../ui/table.tsx'
import { shortPaymentColumns } from '../payments/payments/columns.tsx'

const maxRows = 8

export function LastPayments() {
  const { query } = useTestClocks()
  const payments = useRows(
    ['payment', 'last', query],
    (api, page) => api.payments.list({ ...query, ...page, limit: maxRows }),
    { refetchInterval: 5_000 },
  )
  return (
    <Panel title="Latest payments" flush titleExtra={<PageLink to="/payments">View all payments</PageLink>}>
      {payments.error !== null && <ErrorPanel error={payments.error} retry={payments.refresh} />}
      {payments.isPending && payments.error === null && <Skeleton rows={4} />}
      {!payments.isPending && (
        <PlainTable
          label="Latest payments"
          rows={payments.rows.slice(0, maxRows)}
          keyOf={({ id }) => id}
          columns={shortPaymentColumns}
          empty="No payments yet."
        />
      )}
    </Panel>
  )
}
