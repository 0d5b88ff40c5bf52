// `docs/reference/api`: a page for each resource, with its objects and its operations, and the index of them.

import { cell, memberHead, memberRows } from '../members.ts'
import { type Schema, sameSchema } from '../sdk-schema.ts'
import {
  type ApiDocument,
  type Components,
  entryOf,
  nameOf,
  operationsIn,
  type Placed,
  successesOf,
} from './document.ts'
import { anchorOf, pageMemory } from './memory.ts'
import { type Surroundings, sectionOf } from './section.ts'

type Page = { readonly tag: string; readonly file: string; readonly operations: readonly Placed[] }
type Owner = ReadonlyMap<string, string>

/** Path under docs/reference -> text. */
export function renderApiPages(described: object): Map<string, string> {
  const document = described as ApiDocument
  const pages = pagesOf(document)
  const owners = ownersOf(pages, document.components.schemas)
  const commonCodes = commonCodesOf(pages)
  const texts = pages.map((page) => {
    const text = pageText(page, document, { owners, commonCodes })
    return [`api/${page.file}`, text] as const
  })
  return new Map([['api/README.md', indexText(pages, document, commonCodes)], ...texts])
}

function pagesOf(document: ApiDocument): Page[] {
  const groups = Map.groupBy(operationsIn(document), ({ operation }) => operation.tags[0] ?? '')
  return [...groups].map(([tag, operations]) => ({
    tag,
    file: `${tag.toLowerCase().replaceAll(' ', '-')}.md`,
    operations,
  }))
}

/**
 * Which page describes an object: the one of its name if that answers it, else the first that answers it, or else
 * the first that answers what holds it.
 */
function ownersOf(pages: readonly Page[], components: Components): Owner {
  const answers = pages.flatMap(({ file, operations }) =>
    operations
      .flatMap(({ operation }) => successesOf(operation))
      .flatMap(([, schema]) => nameOf(entryOf(schema ?? {})) ?? [])
      .map((name) => ({ file, name })),
  )
  const inside = answers.flatMap(({ file, name }) =>
    namesIn(components[name] ?? {}, components).map((inner) => ({ file, name: inner })),
  )
  const owners = new Map<string, string>()
  const ofItsName = answers.filter(({ file, name }) => file === fileNamed(name))
  for (const { file, name } of [...ofItsName, ...answers, ...inside])
    if (!owners.has(name)) owners.set(name, file)
  return owners
}

/** As the resource of an object would be called: `PaymentRoute` has `payment-routes.md`. */
function fileNamed(object: string): string {
  const words = object.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  return `${words.endsWith('y') ? `${words.slice(0, -1)}ie` : words}s.md`
}

/** The objects that a schema refers to, however deep. */
function namesIn(schema: Schema, components: Components): string[] {
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]
  return inner.flatMap((member) => {
    const name = nameOf(member)
    if (name === null) return namesIn(member, components)
    return [name, ...namesIn(components[name] ?? {}, components)]
  })
}

/** What all of a kind refuse, beside what is theirs alone. */
type CommonCodes = { readonly all: string[]; readonly writing: string[]; readonly keyed: string[] }

function commonCodesOf(pages: readonly Page[]): CommonCodes {
  const operations = pages.flatMap((page) => page.operations)
  const isKeyed = ({ operation }: Placed) =>
    operation.parameters.some(({ name }) => name === 'Idempotency-Key')
  const all = sharedCodes(operations)
  const writing = sharedCodes(operations.filter(({ method }) => method !== 'GET'))
  const keyed = sharedCodes(operations.filter(isKeyed))
  return {
    all,
    writing: writing.filter((code) => !all.includes(code)),
    keyed: keyed.filter((code) => !writing.includes(code)),
  }
}

function sharedCodes(operations: readonly Placed[]): string[] {
  const codes = operations.map(({ operation }) =>
    Object.values(operation.responses).flatMap((one) => one['x-codes'] ?? []),
  )
  return (codes[0] ?? []).filter((code) => codes.every((others) => others.includes(code)))
}

type Shared = { readonly owners: Owner; readonly commonCodes: CommonCodes }

function pageText(page: Page, document: ApiDocument, { owners, commonCodes }: Shared): string {
  const components = document.components.schemas
  const linkTo = (name: string) => {
    const file = owners.get(name)
    const anchor = `#the-object-${name.toLowerCase()}`
    return file === undefined ? `\`${name}\`` : `[${name}](${file === page.file ? '' : file}${anchor})`
  }
  const around: Surroundings = {
    components,
    linkTo,
    memory: pageMemory(),
    commonCodes: new Set(Object.values(commonCodes).flat()),
  }
  const about = document.tags.find(({ name }) => name === page.tag)?.description ?? ''
  const names = [...owners].filter(([, file]) => file === page.file).map(([name]) => name)
  const rows = page.operations.map(
    ({ method, path, operation }) =>
      `| [${operation.summary}](#${anchorOf(operation.summary)}) | \`${method} ${path}\` |`,
  )
  const parts = [
    `# ${page.tag}`,
    about,
    `| Operation | |\n|---|---|\n${rows.join('\n')}`,
    ...names.map((name) => objectSection(name, names, around)),
    ...page.operations.map((placed) => sectionOf(placed, around)),
    '[All resources](README.md)',
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function objectSection(name: string, names: readonly string[], around: Surroundings): string {
  const { components, linkTo, memory } = around
  const schema = components[name] ?? {}
  const base = names.find((other) => other !== name && isPartOf(components[other] ?? {}, schema))
  const own = base === undefined ? schema : without(schema, components[base] ?? {})
  const heading = `The object ${name}`
  const parts = [
    `## ${heading}`,
    schema.description ?? '',
    base === undefined ? '' : `It has the members of ${linkTo(base)}, and:`,
    `${memberHead}\n${memberRows(own, { linkTo, describedAt: memory.membersFor(heading) }).join('\n')}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Whether `whole` has all members of `part`, and more. */
function isPartOf({ properties: part = {} }: Schema, { properties: whole = {} }: Schema): boolean {
  const names = Object.keys(part)
  const isSmaller = names.length > 2 && names.length < Object.keys(whole).length
  return isSmaller && names.every((name) => sameSchema(part[name], whole[name]))
}

function without(schema: Schema, { properties: known = {} }: Schema): Schema {
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => !(name in known))
  return { ...schema, properties: Object.fromEntries(members) }
}

function indexText(pages: readonly Page[], document: ApiDocument, commonCodes: CommonCodes): string {
  const rows = pages.map(({ tag, file, operations }) => {
    const about = document.tags.find(({ name }) => name === tag)?.description ?? ''
    return `| [${tag}](${file}) | ${cell(firstSentence(about))} | ${operations.length} |`
  })
  const linked = (codes: readonly string[]) =>
    codes.map((code) => `[\`${code}\`](../errors/${code}.md)`).join(', ')
  return `# API

Every operation, by resource. The same is in [openapi.json](../../../openapi.json), which the server serves at \`/openapi.json\`. Calls need a [token](../../guides/tokens-and-roles.md); the examples use one of the test environment in \`$TEST_TOKEN\`, at the address in \`$TEST_URL\`. With \`npm run dev\` that is \`http://127.0.0.1:8081\`.

| Resource | What it is | Operations |
|---|---|---|
${rows.join('\n')}

## In TypeScript

The examples go on from a client of the [SDK](../../guides/sdk.md):

\`\`\`ts
import { Switchyard } from '@switchyard/sdk'

const sy = new Switchyard({ token: process.env.TEST_TOKEN, baseUrl: process.env.TEST_URL })
\`\`\`

## Headers

| Header | |
|---|---|
| \`Authorization\` | \`Bearer\` and the token. |
| \`Content-Type\` | \`application/json\`, with a body. |
| \`Idempotency-Key\` | A name of yours for a request that creates or changes something. [Idempotency](../../guides/idempotency.md) |
| \`Switchyard-Version\` | The version to be answered in. Without it, that of the workspace. [Versions](../../guides/versions.md) |

Answers carry \`Request-Id\`, which finds the call in [your calls](requests.md#get-one-of-your-calls).

## Refusals

Every operation may refuse with these, beside its own: ${linked(commonCodes.all)}.

One that writes, also with ${linked(commonCodes.writing)}; one that takes an \`Idempotency-Key\`, also with ${linked(commonCodes.keyed)}.

[Errors](../../guides/errors.md) says what to do with them.
`
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text
}
