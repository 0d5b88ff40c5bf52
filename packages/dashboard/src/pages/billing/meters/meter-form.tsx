/** Creates a meter. It cannot be changed afterwards. */
import type { CreateMeter } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { aggregationOptions } from './meter-text.ts'

const initialValues = { eventName: '', aggregation: 'sum', valueKey: '', dimensions: '' }
type Values = typeof initialValues

function bodyOf({ eventName, aggregation, valueKey, dimensions }: Values): CreateMeter {
  const names = dimensions.split(/[\s,]+/).filter((name) => name !== '')
  return {
    event_name: eventName,
    aggregation: aggregation as CreateMeter['aggregation'],
    ...(aggregation === 'unique' ? { value_key: valueKey } : {}),
    ...(names.length === 0 ? {} : { dimensions: names }),
  }
}

export function MeterForm({ close }: { close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [values, setValues] = useState(initialValues)
  const set = (name: keyof Values) => (value: string) => setValues((before) => ({ ...before, [name]: value }))
  const body = bodyOf(values)
  return (
    <ActionDialog
      title="Create meter"
      intro="A meter cannot be changed. To count differently, create a meter with another event name."
      submit="Create meter"
      disabledReason={disabledReasonFor('meters.create')}
      call={{ method: 'POST', path: '/meters', body, sdk: { method: 'meters.create', args: [body] } }}
      run={async (key) => {
        openPage(`/meters/${(await api.meters.create(body, key)).id}`)
        await invalidate('meter')
      }}
      successMessage="Meter created"
      onDone={close}
      onCancel={close}
    >
      <TextField
        label="Event name"
        value={values.eventName}
        onChange={set('eventName')}
        hint="Events with this name are counted, for example api_request."
        pointer="/event_name"
        autoFocus
      />
      <SelectField
        label="Usage"
        value={values.aggregation}
        onChange={set('aggregation')}
        options={aggregationOptions}
        pointer="/aggregation"
      />
      {values.aggregation === 'unique' && (
        <TextField
          label="Counted dimension"
          value={values.valueKey}
          onChange={set('valueKey')}
          hint="Counts the distinct values of this dimension, for example user."
          pointer="/value_key"
        />
      )}
      <TextField
        label="Dimensions"
        value={values.dimensions}
        onChange={set('dimensions')}
        hint="Optional. Up to ten dimensions to break usage down by, for example region, tier."
        pointer="/dimensions"
      />
    </ActionDialog>
  )
}
