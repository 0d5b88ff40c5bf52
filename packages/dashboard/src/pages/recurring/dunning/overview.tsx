import type { DunningCampaign, ListDunningCampaigns } from '@switchyard/sdk'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'
import { CampaignActs } from './acts.tsx'
import { InvoiceAmount, useInvoice } from './amount.tsx'
import { Recovery } from './recovery.tsx'
import { Stages } from './stages.tsx'
import { lastReason, stageText } from './words.ts'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['running', 'recovered', 'exhausted', 'stopped'] },
  { name: 'subscription_id', label: 'Subscription', placeholder: 'subscription_…' },
]

const columns: readonly Column<DunningCampaign>[] = [
  { title: 'Customer', cell: ({ customer_id }) => <CustomerName id={customer_id} />, phone: true },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ invoice_id }) => <InvoiceAmount id={invoice_id} />,
    width: '130px',
    phone: true,
  },
  { title: 'Status', cell: ({ status }) => <Status of={status} />, width: '145px' },
  {
    title: 'Stage',
    cell: (row) => <PageLink to={`/dunning/${row.id}`}>{stageText(row)}</PageLink>,
    phone: true,
  },
  { title: 'Reason', cell: (row) => <Reason of={row} /> },
  { title: 'Next try', cell: ({ next_attempt_at }) => <Time at={next_attempt_at} />, width: '120px' },
  { title: 'Actions', cell: (row) => <CampaignActs campaign={row} compact />, width: '200px' },
]

/** Of a campaign that has tried nothing itself, why the first try failed. */
function Reason({ of }: { of: DunningCampaign }) {
  const { data: invoice } = useInvoice(of.invoice_id)
  const code = lastReason(of) ?? invoice?.last_failure?.code ?? null
  return code === null ? '–' : <code className="font-mono text-compact">{code}</code>
}

export function Page() {
  const { chosen } = useFilters(filters)
  const rows = useRows(['dunning_campaign', chosen], (api, page) =>
    api.dunningCampaigns.list({ ...(chosen as ListDunningCampaigns), ...page }),
  )
  return (
    <>
      <PageHead title="Dunning">
        <p className="mt-1 max-w-180 text-ink2">
          A renewal that cannot be collected begins a campaign: the invoice is tried again as its policy says.
        </p>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Recovery />
        <Stages />
        <Panel title="Campaigns" flush>
          <FilterBar filters={filters} />
          <DataTable
            label="Dunning campaigns"
            columns={columns}
            rows={rows}
            to={({ id }) => `/dunning/${id}`}
            fresh={useFresh('dunning_campaign')}
            empty={
              <NothingFound
                filters={filters}
                title="Nothing has failed: there is no campaign."
                action={<PageLink to="/test-clocks">Watch one on a test clock</PageLink>}
              />
            }
          />
        </Panel>
      </div>
    </>
  )
}
