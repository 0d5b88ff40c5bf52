/** The promotion codes of a coupon. Their terms are immutable; they can be activated and deactivated. */
import type { Coupon, PromotionCode } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useRows } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { redemptionsText } from './coupon-text.ts'

const columns: readonly Column<PromotionCode>[] = [
  { title: 'Code', cell: ({ code }) => <code>{code}</code>, phone: true },
  {
    title: 'Status',
    cell: ({ active }) => <Status status={active ? 'active' : 'inactive'} />,
    width: '120px',
    phone: true,
  },
  { title: 'Redemptions', cell: redemptionsText, width: '130px', phone: true },
  { title: 'First purchase', cell: ({ first_purchase: first }) => (first ? 'Only' : '–'), width: '130px' },
  {
    title: 'Expires',
    cell: ({ expires_at: at }) => (at === null ? 'Never' : <Time at={at} />),
    width: '130px',
  },
  { title: 'Actions', cell: (code) => <ActiveButton code={code} />, width: '130px', phone: true },
]

export function PromotionCodes({ coupon }: { coupon: Coupon }) {
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const rows = useRows(['promotion_code', { coupon_id: coupon.id }], (api, page) =>
    api.promotionCodes.list({ coupon_id: coupon.id, ...page }),
  )
  const create = (
    <Button
      compact
      disabledReason={disabledReasonFor('promotion_codes.create')}
      onClick={() => setCreating(true)}
    >
      Create promotion code
    </Button>
  )
  return (
    <Panel title="Promotion codes" titleExtra={create} flush>
      <DataTable
        label="Promotion codes of this coupon"
        columns={columns}
        rows={rows}
        empty={
          <Empty title="No promotion codes yet." action={create}>
            A promotion code is what customers enter to redeem the coupon.
          </Empty>
        }
      />
      {isCreating && <PromotionCodeForm coupon={coupon} close={() => setCreating(false)} />}
    </Panel>
  )
}

function ActiveButton({ code: { id, active } }: { code: PromotionCode }) {
  const [isOpen, setOpen] = useState(false)
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const disabledReason = disabledReasonFor('promotion_codes.update')
  const body = { active: !active }
  const title = active ? 'Deactivate promotion code' : 'Activate promotion code'
  const close = () => setOpen(false)
  return (
    <>
      <Button compact disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {active ? 'Deactivate…' : 'Activate…'}
      </Button>
      {isOpen && (
        <ActionDialog
          title={title}
          intro={
            active ? 'Customers can no longer redeem this code.' : 'Customers can redeem this code again.'
          }
          submit={title}
          disabledReason={disabledReason}
          call={{
            method: 'PUT',
            path: `/promotion-codes/${id}`,
            body,
            sdk: { method: 'promotionCodes.update', args: [id, body] },
          }}
          run={async (key) => {
            await api.promotionCodes.update(id, body, key)
            await invalidate('promotion_code')
          }}
          successMessage={active ? 'Promotion code deactivated' : 'Promotion code activated'}
          onDone={close}
          onCancel={close}
        />
      )}
    </>
  )
}

function PromotionCodeForm({ coupon, close }: { coupon: Coupon; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [code, setCode] = useState('')
  const [limit, setLimit] = useState('')
  const [isFirstPurchase, setFirstPurchase] = useState(false)
  const body = {
    coupon_id: coupon.id,
    code,
    first_purchase: isFirstPurchase,
    ...(limit === '' ? {} : { max_redemptions: Number(limit) }),
  }
  return (
    <ActionDialog
      title="Create promotion code"
      submit="Create promotion code"
      disabledReason={disabledReasonFor('promotion_codes.create')}
      call={{
        method: 'POST',
        path: '/promotion-codes',
        body,
        sdk: { method: 'promotionCodes.create', args: [body] },
      }}
      run={async (key) => {
        await api.promotionCodes.create(body, key)
        await invalidate('promotion_code')
      }}
      successMessage="Promotion code created"
      onDone={close}
      onCancel={close}
    >
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        hint="Customers can enter it in upper or lower case."
        pointer="/code"
        autoFocus
      />
      <TextField
        label="Redemption limit"
        type="number"
        value={limit}
        onChange={setLimit}
        hint="Optional. The limit of the coupon applies as well."
        pointer="/max_redemptions"
      />
      <CheckField label="Only for a first purchase" checked={isFirstPurchase} onChange={setFirstPurchase} />
    </ActionDialog>
  )
}
