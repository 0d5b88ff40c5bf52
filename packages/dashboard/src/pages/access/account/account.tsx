/** The user's own account: name, password, two-factor authentication, passkeys and sessions. */
import { useWorkspace } from '../../../api/workspace.tsx'
import { PageHead } from '../../../ui/panel.tsx'
import { NameForm } from './name.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordForm } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function Page() {
  const { person, organization } = useWorkspace().session
  return (
    <>
      <PageHead title="My account">
        <p className="mt-1 text-ink2">
          {person.email}, {person.role} of {organization.name}
        </p>
      </PageHead>
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="grid content-start gap-4">
          <NameForm />
          <PasswordForm />
        </div>
        <div className="grid content-start gap-4">
          <SecondFactor />
          <Passkeys />
        </div>
        <div className="lg:col-span-2">
          <Sessions />
        </div>
      </div>
    </>
  )
}
