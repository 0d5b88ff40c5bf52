import type { Coupon } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CouponForm } from './coupon-form.tsx'
import { durationText, offText, redemptionsText } from './coupon-text.ts'

const filters: readonly Filter[] = [{ name: 'active', label: 'Status', options: ['active', 'archived'] }]

const columns: readonly Column<Coupon>[] = [
  {
    title: 'Coupon',
    cell: ({ id, name }) => <PageLink to={`/coupons/${id}`}>{name}</PageLink>,
    phone: true,
  },
  {
    title: 'Status',
    cell: ({ active }) => <Status status={active ? 'active' : 'archived'} />,
    width: '130px',
    phone: true,
  },
  { title: 'Terms', cell: (coupon) => `${offText(coupon)} ${durationText(coupon)}`, phone: true },
  { title: 'Redemptions', cell: redemptionsText, width: '130px' },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
]

export function Page() {
  const { filterValues } = useFilters(filters)
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const rows = useRows(['coupon', filterValues], (api, page) =>
    api.coupons.list({
      ...page,
      ...(filterValues.active === undefined ? {} : { active: filterValues.active === 'active' }),
    }),
  )
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('coupons.create')}
      onClick={() => setCreating(true)}
    >
      Create coupon
    </Button>
  )
  return (
    <>
      <PageHead title="Coupons" actions={create} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Coupons"
          columns={columns}
          rows={rows}
          to={({ id }) => `/coupons/${id}`}
          newObjects={useNewObjects('coupon')}
          empty={
            <NothingFound filters={filters} title="No coupons yet." action={create}>
              A coupon takes a percentage or an amount off the invoices of subscriptions.
            </NothingFound>
          }
        />
      </Panel>
      {isCreating && <CouponForm close={() => setCreating(false)} />}
    </>
  )
}
