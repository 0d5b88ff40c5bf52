/** One kind of e-mail: on or off, its wording in each language, and a preview before changes are saved. */
import type { MailSettings, UpdateMailSetting } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { useDebounced } from '../../../ui/debounced.ts'
import { CheckField, SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import { ErrorPanel, Skeleton } from '../../../ui/states.tsx'
import { MailFrame } from './frame.tsx'
import { kindName, kindTime, type Language, languages, type MailKind } from './kind-text.ts'

type Drafts = { readonly [L in Language]?: { readonly subject: string; readonly body: string } }

export function EditKind(props: { kind: MailKind; settings: MailSettings; close: () => void }) {
  const { kind, settings, close } = props
  const api = useApi()
  const invalidate = useInvalidate()
  const disabledReason = useDisabledReason()('mail_settings.update')
  const [isOn, setOn] = useState(settings.kinds[kind])
  const [language, setLanguage] = useState<Language>('en')
  const [drafts, setDrafts] = useState<Drafts>({})
  const draft = drafts[language] ?? savedText(settings, kind, language)
  const change = (part: Partial<typeof draft>) => setDrafts({ ...drafts, [language]: { ...draft, ...part } })
  const texts = textsOf(kind, drafts)
  const body: UpdateMailSetting = {
    kinds: { [kind]: isOn },
    ...(texts.length === 0 ? {} : { texts }),
  }
  const placeholders =
    kind === 'trial_ending' || kind === 'renewal_upcoming' ? '{seller} and {date} are' : '{seller} is'
  return (
    <ActionDialog
      wide
      title={kindName(kind)}
      intro={kindTime(kind)}
      submit="Save e-mail"
      disabledReason={disabledReason}
      call={{
        method: 'PUT',
        path: '/mail-settings',
        body,
        sdk: { method: 'mailSettings.update', args: [body] },
      }}
      run={async (key) => {
        await api.mailSettings.update(body, key)
        await invalidate('mail_settings')
      }}
      successMessage="E-mail saved"
      onDone={close}
      onCancel={close}
    >
      <CheckField label="Send this e-mail" checked={isOn} onChange={setOn} />
      <SelectField
        label="Language"
        value={language}
        onChange={(value) => setLanguage(value as Language)}
        options={languages}
      />
      <TextField
        label="Subject"
        pointer={pointerOf(texts, language, 'subject')}
        hint={`If empty, the default subject. ${placeholders} replaced.`}
        value={draft.subject}
        onChange={(subject) => change({ subject })}
      />
      <TextArea
        label="Text"
        pointer={pointerOf(texts, language, 'body')}
        hint="If empty, the default text. Amount, card and button follow it."
        value={draft.body}
        onChange={(body) => change({ body })}
      />
      <Preview kind={kind} language={language} texts={texts} />
    </ActionDialog>
  )
}

function savedText({ texts }: MailSettings, kind: MailKind, language: Language) {
  const saved = texts.find((text) => text.kind === kind && text.language === language)
  return { subject: saved?.subject ?? '', body: saved?.body ?? '' }
}

type Texts = NonNullable<UpdateMailSetting['texts']>

/** The subjects and paragraphs that were edited. An empty string restores the default. */
function textsOf(kind: MailKind, drafts: Drafts): Texts {
  return Object.entries(drafts).map(([language, { subject, body }]) => ({
    kind,
    language: language as Language,
    subject: subject.trim() || null,
    body: body.trim() || null,
  }))
}

function pointerOf(texts: Texts, language: Language, member: string): string {
  return `/texts/${texts.findIndex((text) => text.language === language)}/${member}`
}

function Preview({ kind, language, texts }: { kind: MailKind; language: Language; texts: Texts }) {
  const shown = useDebounced(JSON.stringify(texts))
  const { data, error } = useObject(['mail_settings', 'preview', kind, language, shown], (api) =>
    api.mailSettings.preview({ kind, locale: language, texts: JSON.parse(shown) as Texts }),
  )
  if (error !== null) return <ErrorPanel error={error} />
  if (data === undefined) return <Skeleton rows={6} />
  return (
    <section aria-label="Preview" className="grid gap-2">
      <p>
        <span className="text-ink2">Subject:</span> <b>{data.subject}</b>
      </p>
      <MailFrame html={data.html} title={`Preview of ${kindName(kind)}`} />
    </section>
  )
}
