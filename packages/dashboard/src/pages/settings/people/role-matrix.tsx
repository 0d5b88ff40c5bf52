/** Who may do what, and what the reader may do. */
import { useHere, useMay } from '../../../api/workspace.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { type Right, type Role, rights, roles } from './roles.ts'

export function RoleMatrix() {
  const may = useMay()
  const { role } = useHere().session.person
  const mine = (right: Right) => (may(right.operation) === null ? 'yes' : 'no')
  return (
    <Panel title="What each role may do" flush beside={<>You are {role}</>}>
      <PlainTable
        label="What each role may do"
        rows={rights}
        keyOf={({ what }) => what}
        columns={[
          { title: 'Act', phone: true, cell: ({ what }) => what },
          ...roles.map((one: Role) => ({
            title: one,
            phone: false,
            cell: ({ who }: Right) => <Answer is={who.includes(one)} />,
          })),
          { title: 'You', phone: true, cell: (right) => <strong>{mine(right)}</strong> },
        ]}
      />
    </Panel>
  )
}

function Answer({ is }: { is: boolean }) {
  return is ? <span className="font-bold text-clear">yes</span> : <span className="text-ink3">no</span>
}
