/** What providers have settled, compared with the ledger: counts, then the lines to resolve. */
import type { ListSettlementLines, SettlementLine } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject, useRows } from '../../api/queries.ts'
import { useDisabledReason } from '../../api/workspace.tsx'
import { sentenceCase } from '../../format/text.ts'
import { Button } from '../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../ui/filters.tsx'
import { PageLink } from '../../ui/link.tsx'
import { NothingFound } from '../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { type NameOf, useAccountName } from '../accounts.ts'
import { ImportReport } from './import-report.tsx'
import { countsText } from './reconciliation-text.ts'
import { ResolveLine } from './resolve-line.tsx'

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['amount_differs', 'missing_here', 'missing_there', 'matched', 'resolved'],
    isExclusive: true,
  },
]
/** Changes to lines emit no events, so the page polls. */
const refetchMs = 15_000
const openStatuses: readonly string[] = ['amount_differs', 'missing_here', 'missing_there']

export function Page() {
  const disabledReasonFor = useDisabledReason()
  const { filterValues } = useFilters(filters)
  const nameOf = useAccountName()
  const [resolving, setResolving] = useState<SettlementLine | null>(null)
  const [isImporting, setImporting] = useState(false)
  const counts = useObject(['reconciliation', 'now'], (api) => api.reconciliation.get(), {
    refetchInterval: refetchMs,
  })
  const rows = useRows(
    ['settlement_line', filterValues],
    (api, page) => api.settlementLines.list({ ...(filterValues as ListSettlementLines), ...page }),
    { refetchInterval: refetchMs },
  )
  return (
    <>
      <PageHead
        title="Reconciliation"
        actions={
          <>
            <PageLink to="/exports" search={{ of: 'settlement_lines' }}>
              Export lines
            </PageLink>
            <Button
              variant="primary"
              disabledReason={disabledReasonFor('settlement_imports.create')}
              onClick={() => setImporting(true)}
            >
              Import report
            </Button>
          </>
        }
      >
        <Loaded query={counts} rows={1}>
          {(reconciliation) => <p className="mt-1 text-ink2">{countsText(reconciliation)}.</p>}
        </Loaded>
      </PageHead>
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Settlement lines"
          columns={lineColumns(nameOf, disabledReasonFor('settlement_lines.resolve'), setResolving)}
          rows={rows}
          empty={
            <NothingFound filters={filters} title="No settlement lines.">
              Import a settlement report of a provider to compare it with your payments.
            </NothingFound>
          }
        />
      </Panel>
      {resolving !== null && <ResolveLine line={resolving} close={() => setResolving(null)} />}
      {isImporting && <ImportReport close={() => setImporting(false)} />}
    </>
  )
}

function AmountOrNone({ amount, currency }: { amount: number | null; currency: string }) {
  return amount === null ? (
    <span className="text-ink3">–</span>
  ) : (
    <Money amount={amount} currency={currency} showCode />
  )
}

const lineColumns = (
  nameOf: NameOf,
  disabledReason: string | null,
  resolve: (line: SettlementLine) => void,
): readonly Column<SettlementLine>[] => [
  { title: 'Status', width: '160px', phone: true, cell: ({ status }) => <Status status={status} /> },
  {
    title: 'Settled',
    align: 'right',
    width: '132px',
    phone: true,
    cell: ({ status, amount, currency }) => (
      <AmountOrNone amount={status === 'missing_there' ? null : amount} currency={currency} />
    ),
  },
  {
    title: 'Recorded here',
    align: 'right',
    width: '132px',
    cell: ({ recorded_amount, currency }) => <AmountOrNone amount={recorded_amount} currency={currency} />,
  },
  { title: 'Kind', width: '120px', cell: ({ kind }) => sentenceCase(kind) },
  { title: 'Provider account', cell: ({ provider_account_id: id }) => nameOf(id) },
  { title: 'Reference', cell: ({ provider_reference }) => provider_reference ?? '–' },
  { title: 'Date', align: 'right', width: '130px', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Action',
    align: 'right',
    width: '136px',
    phone: true,
    cell: (line) =>
      openStatuses.includes(line.status) ? (
        <Button compact disabledReason={disabledReason} onClick={() => resolve(line)}>
          Resolve line
        </Button>
      ) : null,
  },
]
