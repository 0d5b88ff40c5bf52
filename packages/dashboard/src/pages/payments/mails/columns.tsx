import type { Mail } from '@switchyard/sdk'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Status } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { kindName, reasonText } from './kind-text.ts'

const kind: Column<Mail> = {
  title: 'E-mail',
  phone: true,
  cell: ({ id, kind }) => <ObjectLink id={id}>{kindName(kind)}</ObjectLink>,
}
const status: Column<Mail> = {
  title: 'Status',
  width: '140px',
  phone: true,
  cell: ({ status }) => <Status status={status} />,
}
const created: Column<Mail> = {
  title: 'Created',
  align: 'right',
  width: '130px',
  phone: true,
  cell: ({ created_at }) => <Time at={created_at} />,
}
const reason: Column<Mail> = {
  title: 'Reason',
  cell: ({ reason }) => <span className="text-ink2">{reasonText(reason)}</span>,
}

export const customerMailColumns: readonly Column<Mail>[] = [kind, status, reason, created]

export const mailColumns: readonly Column<Mail>[] = [
  kind,
  status,
  { title: 'To', cell: ({ to }) => <span className="break-all">{to}</span> },
  reason,
  { title: 'About', wide: true, cell: ({ object_id }) => <ObjectLink id={object_id} /> },
  created,
]
