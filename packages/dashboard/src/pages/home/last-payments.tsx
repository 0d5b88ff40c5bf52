/** The last payments. They change while one looks. */
import { useRows } from '../../api/queries.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ErrorPanel, Skeleton } from '../../ui/states.tsx'
import { PlainTable } from '../../ui/table.tsx'
import { shortPaymentColumns } from '../money/payments/columns.tsx'

const shown = 8

export function LastPayments() {
  const found = useRows(['payment', 'last'], (api, page) => api.payments.list({ ...page, limit: shown }), {
    refetchInterval: 5_000,
  })
  return (
    <Panel title="Last payments" flush beside={<PageLink to="/payments">All payments</PageLink>}>
      {found.error !== null && <ErrorPanel error={found.error} retry={found.refresh} />}
      {found.isPending && found.error === null && <Skeleton rows={4} />}
      {!found.isPending && (
        <PlainTable
          label="Last payments"
          rows={found.rows.slice(0, shown)}
          keyOf={({ id }) => id}
          columns={shortPaymentColumns}
          empty="No payments yet."
        />
      )}
    </Panel>
  )
}
