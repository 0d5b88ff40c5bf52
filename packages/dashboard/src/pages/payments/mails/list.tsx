/** E-mails to payers: the sent e-mails, and the kinds of e-mails that are sent. */
import type { ListMails } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { otherFilters, periodFilters, periodOf } from '../period.ts'
import { mailColumns } from './columns.tsx'
import { MailSettingsView } from './settings.tsx'

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['pending', 'sent', 'not_sent', 'failed', 'bounced', 'complained'],
  },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…', kind: 'customer' },
  ...periodFilters,
]

export function Page() {
  return (
    <>
      <PageHead title="E-mails" />
      <Tabs
        label="E-mails"
        tabs={[
          { id: 'mails', text: 'E-mails', content: () => <Mails /> },
          { id: 'settings', text: 'Settings', content: () => <MailSettingsView /> },
        ]}
      />
    </>
  )
}

function Mails() {
  const { filterValues } = useFilters(filters)
  const rows = useRows(['mail', filterValues], (api, page) =>
    api.mails.list({ ...otherFilters<ListMails>(filterValues), ...periodOf(filterValues), ...page }),
  )
  return (
    <>
      <FilterBar filters={filters} />
      <DataTable
        label="E-mails"
        columns={mailColumns}
        rows={rows}
        to={({ id }) => `/mails/${id}`}
        empty={
          <NothingFound filters={filters} title="No e-mails yet.">
            Switchyard e-mails payers about receipts, failed payments and subscriptions.
          </NothingFound>
        }
      />
    </>
  )
}
