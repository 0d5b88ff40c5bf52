import type { Meter } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { MeterForm } from './meter-form.tsx'
import { aggregationText } from './meter-text.ts'

const columns: readonly Column<Meter>[] = [
  {
    title: 'Meter',
    cell: ({ id, event_name: name }) => <PageLink to={`/meters/${id}`}>{name}</PageLink>,
    phone: true,
  },
  { title: 'Usage', cell: aggregationText, phone: true },
  { title: 'Dimensions', cell: ({ dimensions }) => dimensions.join(', ') || '–' },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
]

export function Page() {
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const rows = useRows(['meter'], (api, page) => api.meters.list(page))
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('meters.create')}
      onClick={() => setCreating(true)}
    >
      Create meter
    </Button>
  )
  return (
    <>
      <PageHead title="Meters" actions={create} />
      <Panel flush>
        <DataTable
          label="Meters"
          columns={columns}
          rows={rows}
          to={({ id }) => `/meters/${id}`}
          empty={
            <Empty title="No meters yet." action={create}>
              A meter counts the usage of your service by customers. Prices can bill it.
            </Empty>
          }
        />
      </Panel>
      {isCreating && <MeterForm close={() => setCreating(false)} />}
    </>
  )
}
