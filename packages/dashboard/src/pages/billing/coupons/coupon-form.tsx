/** Creates a coupon. Its terms cannot be changed afterwards. */
import type { CreateCoupon } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { amountOf } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { currencyOptions } from '../../currency-options.ts'

type Values = {
  readonly name: string
  readonly kind: string
  readonly percent: string
  readonly amount: string
  readonly currency: string
  readonly duration: string
  readonly periods: string
  readonly maxRedemptions: string
}

const initialValues: Values = {
  name: '',
  kind: 'percent',
  percent: '',
  amount: '',
  currency: 'eur',
  duration: 'once',
  periods: '3',
  maxRedemptions: '',
}

function bodyOf(values: Values): CreateCoupon {
  const { name, kind, percent, amount, currency, duration, periods, maxRedemptions } = values
  return {
    name,
    ...(kind === 'percent'
      ? { percent_off: percent }
      : {
          amount_off: amountOf(amount, currency) ?? 0,
          currency: currency as NonNullable<CreateCoupon['currency']>,
        }),
    duration: duration as CreateCoupon['duration'],
    ...(duration === 'periods' ? { duration_periods: Number(periods) } : {}),
    ...(maxRedemptions === '' ? {} : { max_redemptions: Number(maxRedemptions) }),
  }
}

export function CouponForm({ close }: { close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [values, setValues] = useState(initialValues)
  const set = (name: keyof Values) => (value: string) => setValues((before) => ({ ...before, [name]: value }))
  const body = bodyOf(values)
  return (
    <ActionDialog
      title="Create coupon"
      intro="The terms of a coupon cannot be changed. To offer different terms, create another coupon."
      submit="Create coupon"
      disabledReason={disabledReasonFor('coupons.create')}
      call={{ method: 'POST', path: '/coupons', body, sdk: { method: 'coupons.create', args: [body] } }}
      run={async (key) => {
        openPage(`/coupons/${(await api.coupons.create(body, key)).id}`)
        await invalidate('coupon')
      }}
      successMessage="Coupon created"
      onDone={close}
      onCancel={close}
    >
      <TextField
        label="Name"
        value={values.name}
        onChange={set('name')}
        hint="Shown on invoices."
        pointer="/name"
        autoFocus
      />
      <TermFields values={values} set={set} />
      <TextField
        label="Redemption limit"
        type="number"
        value={values.maxRedemptions}
        onChange={set('maxRedemptions')}
        hint="Optional. How many times the coupon can be redeemed, across all customers."
        pointer="/max_redemptions"
      />
    </ActionDialog>
  )
}

type FieldsProps = {
  readonly values: Values
  readonly set: (name: keyof Values) => (value: string) => void
}

function TermFields({ values, set }: FieldsProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Type"
        value={values.kind}
        onChange={set('kind')}
        options={[
          { value: 'percent', text: 'Percentage off' },
          { value: 'amount', text: 'Amount off' },
        ]}
      />
      {values.kind === 'percent' ? (
        <TextField
          label="Percent off"
          value={values.percent}
          onChange={set('percent')}
          hint="For example 20 or 12.5."
          pointer="/percent_off"
        />
      ) : (
        <>
          <AmountField
            label="Amount off"
            currency={values.currency}
            value={values.amount}
            onChange={set('amount')}
            pointer="/amount_off"
          />
          <SelectField
            label="Currency"
            value={values.currency}
            onChange={set('currency')}
            options={currencyOptions}
            pointer="/currency"
          />
        </>
      )}
      <SelectField
        label="Duration"
        value={values.duration}
        onChange={set('duration')}
        options={[
          { value: 'once', text: 'First period' },
          { value: 'periods', text: 'Several periods' },
          { value: 'forever', text: 'Every period' },
        ]}
        pointer="/duration"
      />
      {values.duration === 'periods' && (
        <TextField
          label="Number of periods"
          type="number"
          value={values.periods}
          onChange={set('periods')}
          pointer="/duration_periods"
        />
      )}
    </div>
  )
}
