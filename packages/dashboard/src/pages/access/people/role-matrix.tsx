/** The permissions of each role and of the current user. */
import { useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { type Permission, permissions, type Role, roles } from './roles.ts'

export function RoleMatrix() {
  const disabledReasonFor = useDisabledReason()
  const { role } = useWorkspace().session.person
  const ownPermission = (permission: Permission) =>
    disabledReasonFor(permission.operation) === null ? 'yes' : 'no'
  return (
    <Panel title="Role permissions" flush titleExtra={<>You are {role}</>}>
      <PlainTable
        label="Role permissions"
        rows={permissions}
        keyOf={({ description }) => description}
        columns={[
          { title: 'Permission', phone: true, cell: ({ description }) => description },
          ...roles.map((role: Role) => ({
            title: role,
            phone: false,
            cell: ({ roles }: Permission) => <YesOrNo value={roles.includes(role)} />,
          })),
          { title: 'You', phone: true, cell: (permission) => <strong>{ownPermission(permission)}</strong> },
        ]}
      />
    </Panel>
  )
}

function YesOrNo({ value }: { value: boolean }) {
  return value ? <span className="font-bold text-success">yes</span> : <span className="text-ink3">no</span>
}
