/** The newest payouts of imported settlement reports. */
import type { Payout } from '@switchyard/sdk'
import { useRows } from '../../api/queries.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Status } from '../../ui/status.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { type NameOf, useAccountName } from '../accounts.ts'

export function Payouts() {
  const nameOf = useAccountName()
  const rows = useRows(['payout'], (api, page) => api.payouts.list(page))
  return (
    <Panel title="Payouts" flush>
      <DataTable
        label="Payouts"
        columns={payoutColumns(nameOf)}
        rows={rows}
        empty={
          <p className="p-4 text-ink2">
            No payouts yet. They appear when you{' '}
            <PageLink to="/reconciliation">import a settlement report</PageLink>.
          </p>
        }
      />
    </Panel>
  )
}

const payoutColumns = (nameOf: NameOf): readonly Column<Payout>[] => [
  {
    title: 'Amount',
    align: 'right',
    width: '148px',
    phone: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} showCode />,
  },
  { title: 'Status', width: '140px', phone: true, cell: ({ status }) => <Status status={status} /> },
  { title: 'Provider account', phone: true, cell: ({ provider_account_id: id }) => nameOf(id) },
  { title: 'Reference', cell: ({ provider_reference }) => provider_reference },
  {
    title: 'Fees',
    align: 'right',
    cell: ({ fees, currency }) => <Money amount={fees} currency={currency} />,
  },
  {
    title: 'Arrives',
    align: 'right',
    width: '130px',
    cell: ({ arrives_at }) =>
      arrives_at === null ? <span className="text-ink3">–</span> : <Time at={arrives_at} />,
  },
]
