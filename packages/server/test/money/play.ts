// Plays a story on a stage, through the front door of the real app, and notes what was answered.

import { idFromUuid, uuidFloor, uuidOf } from '../../src/kernel/id.ts'
import { Actor, asActor } from './actor.ts'
import { checkBooks } from './check.ts'
import { actAsPayer, forgeWebhook } from './outsiders.ts'
import {
  type Answer,
  callsOf,
  factsOf,
  leaveKeys,
  letPass,
  type Played,
  type Playing,
  requestsIn,
} from './playing.ts'
import { settleAll, work } from './settle.ts'
import { type Ground, groundOf, noteLoose, type Stage } from './stage.ts'
import { publishInStory, publishPlan, turnBreaker } from './steer.ts'
import { type Act, type Request, type Step, type Story, textOf } from './story.ts'

let named = 0

export async function play(stage: Stage, story: Story): Promise<Played> {
  const playing = await prepare(stage, story)
  for (const [place, step] of story.steps.entries()) {
    const told = await take(playing, step)
    playing.lines.push(`${place + 1}. ${textOf(step)} → ${told}`)
  }
  await settleAll(playing)
  await checkBooks(playing)
  return { lines: playing.lines, wrongs: [...playing.wrongs, ...stage.wrongs] }
}

async function prepare(stage: Stage, story: Story): Promise<Playing> {
  const { simulator, clock } = stage
  const ground = await groundOf(stage, story.terms)
  ground.stories += 1
  stage.wrongs.length = 0
  const calm = { outage: false, outage_manner: 'plain', latency_ms: 0, webhooks: story.webhooks }
  for (const account of ground.accounts) await simulator.control('PUT', `${account}/config`, calm)
  await simulator.control('POST', 'time', { reset: true }).catch(() => {})
  const { now } = await simulator.control<{ now: string }>('POST', 'time', { advance_ms: 0 })
  clock.set(Date.parse(now))
  await forgetCards(stage, ground)
  stage.failing.clear()
  if (ground.plan !== 'order') ground.revision = await publishPlan(stage, ground, 'order')
  const callsBefore = await Promise.all(ground.accounts.map(async (id) => (await callsOf(stage, id)).length))
  const factsBefore = await Promise.all(ground.accounts.map(async (id) => (await factsOf(stage, id)).length))
  named += 1
  return {
    ...{ stage, ground, story, factsBefore, callsBefore },
    situations: [{ plan: ground.plan, revision: ground.revision, open: new Set() }],
    askedIn: new Map(),
    name: `story-${process.pid}-${named}`,
    floor: uuidFloor(new Date()),
    ids: new Map(),
    sent: new Map(),
    answers: new Map(),
    lines: [],
    wrongs: [],
  }
}

/** What one story has tried with a card must not count in the next. */
async function forgetCards({ house }: Stage, { workspaceId }: Ground): Promise<void> {
  for (const table of ['card_budgets', 'network_attempts'])
    await house.owner.query(`delete from ${table} where workspace_id = $1`, [uuidOf(workspaceId)])
}

async function take(playing: Playing, step: Step): Promise<string> {
  switch (step.do) {
    case 'together':
      return (await Promise.all(step.acts.map((act) => perform(playing, act)))).join(' | ')
    case 'wait':
      await letPass(playing, step.seconds * 1000)
      return 'done'
    case 'provider': {
      const account = playing.ground.accounts[step.account]
      await playing.stage.simulator.control('PUT', `${account}/config`, step.trouble)
      return 'done'
    }
    default:
      return perform(playing, step)
  }
}

async function perform(playing: Playing, act: Act): Promise<string> {
  const { stage } = playing
  switch (act.do) {
    case 'repeat':
      return repeat(playing, act.of)
    case 'get': {
      const id = await idOf(playing, act.payment)
      return id === null ? 'there is none' : textOfAnswer(await ask(playing, 'GET', `/payments/${id}`))
    }
    case 'return': {
      const id = await idOf(playing, act.payment)
      return id === null ? 'there is none' : actAsPayer(playing, id, act.pressed)
    }
    case 'forge': {
      const id = await idOf(playing, act.payment)
      return id === null ? 'there is none' : forgeWebhook(playing, id)
    }
    case 'publish':
      return publishInStory(playing, act.plan)
    case 'breaker':
      return turnBreaker(playing, act.account, act.isOpen)
    case 'work':
      return work(playing, { beside: act.beside, fate: act.fate })
    case 'wake':
      stage.freezer.thaw()
      // It goes on by itself; what comes next meets it in the middle.
      return 'done'
    default:
      return request(playing, act)
  }
}

async function request(playing: Playing, asked: Request): Promise<string> {
  const order = await orderOf(playing, asked)
  if (order === null) return 'there is no such payment'
  const isCut = asked.fate !== null
  playing.sent.set(asked.id, { ...order, isCut })
  const actor = new Actor(asked.fate, asked.impatient)
  const first = ask(playing, 'POST', order.url, { ...order, key: asked.id, actor })
  const all = asked.twice
    ? [first, ask(playing, 'POST', order.url, { ...order, key: asked.id, actor: new Actor(null) })]
    : [first]
  const answers = await noteAsking(playing, asked, Promise.all(all))
  for (const answer of answers) noteAnswer(playing, asked, answer)
  return answers.map(textOfAnswer).join(' and ')
}

async function repeat(playing: Playing, of: number): Promise<string> {
  const { sent } = playing
  const known = sent.get(of)
  const asked = requestsIn(playing.story).find(({ id }) => id === of)
  if (known === undefined || asked === undefined) return 'it was never sent'
  // Whoever repeats what was cut off comes back a minute later: until then it is told to wait.
  if (known.isCut) await leaveKeys(playing)
  const again = ask(playing, 'POST', known.url, { ...known, key: of, actor: new Actor(null) })
  const answer = await noteAsking(playing, asked, again)
  noteAnswer(playing, asked, answer)
  return textOfAnswer(answer)
}

/** A payment is made at some time from when it is asked for until there is an answer, or another one is asked for it. */
async function noteAsking<T>(
  { situations, askedIn }: Playing,
  asked: Request,
  asking: Promise<T>,
): Promise<T> {
  if (asked.do !== 'pay') return asking
  const from = Math.min(askedIn.get(asked.payment)?.from ?? Number.POSITIVE_INFINITY, situations.length - 1)
  askedIn.set(asked.payment, { from, to: situations.length - 1 })
  const answers = await asking
  askedIn.set(asked.payment, { from, to: situations.length - 1 })
  return answers
}

function noteAnswer(playing: Playing, asked: Request, answer: Answer): void {
  if (!answer.isHeard) return
  const { answers, ids } = playing
  answers.set(asked.id, [...(answers.get(asked.id) ?? []), answer])
  if (asked.do !== 'pay') return
  const body = JSON.parse(answer.text)
  const id = answer.status === 201 ? body.id : body.resource_id
  if (typeof id === 'string') ids.set(asked.payment, id)
}

type Order = { readonly url: string; readonly payload: object }

async function orderOf(playing: Playing, asked: Request): Promise<Order | null> {
  if (asked.do === 'pay') return payOrder(playing, asked)
  const id = await idOf(playing, asked.payment)
  if (id === null) return null
  const amount = 'amount' in asked && asked.amount !== null ? { amount: asked.amount } : {}
  if (asked.do === 'refund') return { url: '/refunds', payload: { payment_id: id, ...amount } }
  if (asked.do === 'cancel') return { url: `/payments/${id}/cancel`, payload: {} }
  return { url: `/payments/${id}/capture`, payload: { ...amount, final: asked.final } }
}

async function payOrder(playing: Playing, asked: Extract<Request, { do: 'pay' }>): Promise<Order> {
  const { ground, name } = playing
  const means =
    asked.by === 'token' ? { token: await aToken(playing) } : { payment_method_id: ground.methodId }
  const payload = {
    amount: asked.amount,
    currency: 'eur',
    capture_method: asked.capture,
    initiator: asked.initiator,
    ...means,
    ...(asked.order === null ? {} : { order_reference: `${name}-${asked.order}` }),
    ...(asked.routed ? { payment_route_id: ground.routeId } : {}),
    metadata: { simulate: asked.card, story: name, payment: String(asked.payment) },
  }
  return { url: '/payments', payload }
}

async function aToken(playing: Playing): Promise<string> {
  const card = {
    number: '4242424242424242',
    exp_month: 12,
    exp_year: new Date().getFullYear() + 4,
    cvc: '123',
  }
  const { text } = await ask(playing, 'POST', '/tokens', { payload: { type: 'card', card } })
  return JSON.parse(text).id
}

/** Null if nobody was told of it and it is in no books. */
export async function idOf(
  { ids, stage, ground, floor, name }: Playing,
  payment: number,
): Promise<string | null> {
  const known = ids.get(payment)
  if (known !== undefined) return known
  const { rows } = await stage.house.owner.query(
    `select id from payments where workspace_id = $1 and id >= $2
       and metadata->>'story' = $3 and metadata->>'payment' = $4`,
    [uuidOf(ground.workspaceId), floor, name, String(payment)],
  )
  const found = rows[0]?.id
  if (found === undefined) return null
  const id = idFromUuid('payment', 'test', found)
  ids.set(payment, id)
  return id
}

type Asking = { readonly payload?: object; readonly key?: number; readonly actor?: Actor }

async function ask(
  playing: Playing,
  method: 'GET' | 'POST',
  url: string,
  { payload, key, actor = new Actor(null) }: Asking = {},
): Promise<Answer> {
  const { stage, ground, name } = playing
  const headers = {
    authorization: `Bearer ${ground.token}`,
    ...(key === undefined ? {} : { 'idempotency-key': `${name}-${key}` }),
  }
  const injected = asActor(actor, async () =>
    stage.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) }),
  )
  const answered = injected.then(({ statusCode, body }) => ({ status: statusCode, text: body }))
  noteLoose(stage, answered, actor)
  const first = await Promise.race([answered, actor.frozen])
  if (first === undefined) return { status: 0, text: 'frozen', isHeard: false }
  if (actor.isDead) return { status: 0, text: 'died', isHeard: false }
  if (first.status >= 500 && !(first.status === 503 && actor.fate?.is === 'loses_commit'))
    playing.wrongs.push(`answered ${first.status} to ${method} ${url}: ${first.text}`)
  return { ...first, isHeard: true }
}

function textOfAnswer({ status, text, isHeard }: Answer): string {
  if (!isHeard) return `no answer (${text})`
  const body = JSON.parse(text)
  return `${status} ${body.status ?? body.code}${typeof body.code === 'string' ? ` ${body.code}` : ''}`
}
