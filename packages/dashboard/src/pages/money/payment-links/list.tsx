/** All payment links, the newest first. */
import type { ListPaymentLinks, PaymentLink } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { beside, periodFilters, periodOf } from '../period.ts'
import { NewLink } from './new.tsx'
import { paidText, priceText } from './words.ts'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['active', 'inactive', 'completed', 'expired'] },
  ...periodFilters,
]

const columns: readonly Column<PaymentLink>[] = [
  {
    title: 'Amount',
    phone: true,
    width: '200px',
    cell: (link) => <ObjectLink id={link.id}>{priceText(link)}</ObjectLink>,
  },
  { title: 'Status', width: '130px', phone: true, cell: ({ status }) => <Status of={status} /> },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Paid', width: '110px', cell: (link) => paidText(link) },
  { title: 'Until', width: '130px', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'Address',
    width: '110px',
    align: 'right',
    phone: true,
    cell: ({ url }) => <CopyButton text={url} />,
  },
]

export function Page() {
  const may = useMay()
  const [isNew, setNew] = useState(false)
  const { chosen } = useFilters(filters)
  const rows = useRows(['payment_link', chosen], (api, page) =>
    api.paymentLinks.list({ ...beside<ListPaymentLinks>(chosen), ...periodOf(chosen), ...page }),
  )
  const create = (
    <Button look="primary" refused={may('payment_links.create')} onClick={() => setNew(true)}>
      Create payment link
    </Button>
  )
  return (
    <>
      <PageHead title="Payment links" actions={create} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Payment links"
          columns={columns}
          rows={rows}
          to={({ id }) => `/payment-links/${id}`}
          fresh={useFresh('payment_link')}
          empty={
            <NothingFound filters={filters} title="No payment links yet." action={create}>
              A link is the address of a page on which somebody pays. Send it, or show it as a code.
            </NothingFound>
          }
        />
      </Panel>
      {isNew && <NewLink close={() => setNew(false)} />}
    </>
  )
}
