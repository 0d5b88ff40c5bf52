/** Two-factor authentication. The secret is shown during setup, and the recovery codes once. */
import { useState } from 'react'
import { useWorkspace } from '../../../api/workspace.tsx'
import { fetchSession } from '../../../session/session-api.ts'
import { ActionDialog, ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { Status } from '../../../ui/status.tsx'
import { CopyButton } from '../../../ui/values.tsx'
import { useReauthentication } from './reauthentication.tsx'
import { useRefetchSession } from './refetch-session.ts'

type Secret = { readonly secret: string; readonly uri: string }
type Open =
  | { readonly kind: 'setup' }
  | { readonly kind: 'enrol'; readonly secret: Secret }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'turn_off' }

export function SecondFactor() {
  const { totp_enabled: isOn } = useWorkspace().session.person
  const [open, setOpen] = useState<Open | null>(null)
  return (
    <Panel
      title="Two-factor authentication"
      titleExtra={<Status status={isOn ? 'enabled' : 'disabled'}>{isOn ? 'On' : 'Off'}</Status>}
    >
      <div className="grid justify-items-start gap-3">
        <p className="text-ink2">
          {isOn
            ? 'Signing in requires your password and a code from your authenticator app.'
            : 'Require a code from an authenticator app in addition to your password.'}
        </p>
        {isOn ? (
          <Button variant="danger" onClick={() => setOpen({ kind: 'turn_off' })}>
            Turn off two-factor authentication…
          </Button>
        ) : (
          <Button onClick={() => setOpen({ kind: 'setup' })}>Set up two-factor authentication…</Button>
        )}
      </div>
      {open !== null && <Dialogs open={open} setOpen={setOpen} />}
    </Panel>
  )
}

function Dialogs({ open, setOpen }: { open: Open; setOpen: (open: Open | null) => void }) {
  const close = () => setOpen(null)
  if (open.kind === 'enrol')
    return (
      <EnrolDialog
        secret={open.secret}
        onClose={close}
        onCodes={(codes) => setOpen({ kind: 'codes', codes })}
      />
    )
  if (open.kind === 'setup')
    return <SetupDialog onClose={close} onSecret={(secret) => setOpen({ kind: 'enrol', secret })} />
  if (open.kind === 'turn_off') return <TurnOffDialog onClose={close} />
  return (
    <ShownOnce
      title="Recovery codes"
      intro="Each code signs you in once if you lose your authenticator. They are shown only once: store them separately from your password."
      text={open.codes.join('\n')}
      copy="Copy codes"
      onClose={close}
    />
  )
}

function SetupDialog(props: { onSecret: (secret: Secret) => void; onClose: () => void }) {
  const { reauthentication, field } = useReauthentication()
  return (
    <ActionDialog
      title="Set up two-factor authentication"
      submit="Continue"
      run={async () => props.onSecret(await fetchSession<Secret>('POST', '/session/totp', reauthentication))}
      onDone={() => undefined}
      onCancel={props.onClose}
    >
      {field}
    </ActionDialog>
  )
}

function EnrolDialog(props: {
  secret: Secret
  onCodes: (codes: readonly string[]) => void
  onClose: () => void
}) {
  const { secret, uri } = props.secret
  const refetchSession = useRefetchSession()
  const [code, setCode] = useState('')
  return (
    <Dialog
      title="Set up two-factor authentication"
      intro="Add this secret to your authenticator app, then enter the code it shows."
      onClose={props.onClose}
    >
      <QrCode text={uri} label="Authenticator secret" />
      <div className="grid justify-items-start gap-2 rounded-control bg-sunken p-3">
        <p className="font-mono text-sentence break-all">{secret}</p>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret} label="Copy secret" />
          <CopyButton text={uri} label="Copy as otpauth link" />
        </div>
        <a href={uri} className="text-info underline underline-offset-2">
          Open in an authenticator app on this device
        </a>
      </div>
      <ActionForm
        submit="Turn on two-factor authentication"
        run={async () => {
          const { recovery_codes } = await fetchSession<{ recovery_codes: string[] }>(
            'POST',
            '/session/totp/confirm',
            {
              code: code.replaceAll(' ', ''),
            },
          )
          await refetchSession()
          props.onCodes(recovery_codes)
        }}
        onDone={() => undefined}
        onCancel={props.onClose}
      >
        <TextField
          label="Code"
          hint="Six digits."
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          autoFocus
        />
      </ActionForm>
    </Dialog>
  )
}

function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const refetchSession = useRefetchSession()
  const [password, setPassword] = useState('')
  return (
    <ActionDialog
      title="Turn off two-factor authentication"
      intro="You will sign in with your password only. Your recovery codes stop working."
      submit="Turn off two-factor authentication"
      danger
      successMessage="Two-factor authentication is off"
      run={async () => {
        await fetchSession('DELETE', '/session/totp', { password })
        await refetchSession()
      }}
      onDone={onClose}
    >
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus
      />
    </ActionDialog>
  )
}
