import type {
  AnalyticsOverview,
  BillingSummary,
  Campaign,
  CampaignId,
  ChannelId,
  Contact,
  ContactId,
  Dashboard,
  DncCheck,
  DncEntry,
  ErrorCodeRecord,
  Message,
  MessageId,
  OttMessage,
  Page,
  ScheduledMessage,
  Template,
  TemplateId,
  WebhookId,
  WebhookSubscription,
} from '../../../contract/domain.ts'
import type { CallOptions } from './call.ts'
import type { RateBudgetView } from '../rate-limit/rate-budget.ts'
import type { WebhookWithSecret } from '../wire/webhook.ts'

export type { CallOptions } from './call.ts'

/** A page of a list: `page` from 1 (default 1), `perPage` 1 to 100 (default 20). Spec, Endpoints. */
export interface PageInput {
  page?: number
  perPage?: number
}

/** First and last day, `YYYY-MM-DD`, in UTC. Whether the last day is included is not stated by the service. */
export interface SpanInput {
  startDate: string
  endDate: string
}

/** What the service said to a call that returns no record; null when it said nothing. */
export interface ServiceWord {
  message: string | null
}

/**
 * Every endpoint of the spec. Each call takes its lane in the rate budget and a signal to give up with.
 *
 * Any call may reject with: SIGNED_OUT, SESSION_EXPIRED, API_KEY_REFUSED; FORBIDDEN, SERVICE_REJECTED, SERVICE_NOT_FOUND,
 * RATE_LIMITED, SERVICE_FAILED (the service's words in `data.serviceText`); SERVICE_UNREACHABLE, SERVICE_TIMEOUT, SERVICE_TLS,
 * SERVICE_REDIRECTED; NOT_THE_SERVICE, BAD_ANSWER, ANSWER_TOO_LARGE; INVALID_INPUT; or the signal's reason.
 * A POST other than signing in rejects with OUTCOME_UNKNOWN wherever it may have been done; with any other code it was not.
 */
export interface ServiceClient {
  readonly auth: {
    /** Signs in and hands the tokens to the password session. Rejects with WRONG_PASSWORD for 401. */
    login(input: { username: string; password: string }, options: CallOptions): Promise<void>
    /**
     * Ends the session at the service, then forgets the credential here, even when the service cannot be told within 15 s.
     * `endedAtService` is false where a session may go on there; an API key has none. Rejects with SIGN_OUT_INCOMPLETE, with
     * `endedAtService` in its data, when the credential could not be removed from where it is saved.
     */
    logout(options: CallOptions): Promise<{ endedAtService: boolean }>
  }
  readonly campaigns: {
    list(input: PageInput & { status?: string }, options: CallOptions): Promise<Page<Campaign>>
    get(id: CampaignId | string, options: CallOptions): Promise<Campaign>
    /** The record as answered: its status may still not be `paused`. After OUTCOME_UNKNOWN, `get` tells. */
    pause(id: CampaignId | string, options: CallOptions): Promise<Campaign>
  }
  readonly templates: {
    create(
      input: { name: string; body: string; variables: Record<string, 'string' | 'number'> },
      options: CallOptions,
    ): Promise<Template>
    delete(id: TemplateId | string, options: CallOptions): Promise<ServiceWord>
  }
  readonly ott: {
    send(
      input: {
        channelId: ChannelId | string
        templateId: TemplateId | string
        to: string
        variables: Record<string, string | number>
      },
      options: CallOptions,
    ): Promise<OttMessage>
  }
  readonly messages: {
    get(id: MessageId | string, options: CallOptions): Promise<Message>
    release(id: MessageId | string, options: CallOptions): Promise<ServiceWord>
    /** Only `page` and `per_page` are sent: the list's filters are not shown. */
    list(input: PageInput, options: CallOptions): Promise<Page<Message>>
  }
  readonly contacts: {
    /** An empty e-mail is left out: a text that is no address may be refused. */
    create(
      input: { name: string; phone: string; email: string; tags: Record<string, string> },
      options: CallOptions,
    ): Promise<Contact>
    delete(id: ContactId | string, options: CallOptions): Promise<ServiceWord>
  }
  readonly scheduled: {
    list(input: PageInput, options: CallOptions): Promise<Page<ScheduledMessage>>
  }
  readonly dnc: {
    list(input: PageInput, options: CallOptions): Promise<Page<DncEntry>>
    /** `clear` only where the dialect's parameter name is proven. */
    check(input: { phone: string }, options: CallOptions): Promise<DncCheck>
  }
  readonly analytics: {
    billingSummary(input: SpanInput, options: CallOptions): Promise<BillingSummary>
    overview(input: SpanInput, options: CallOptions): Promise<AnalyticsOverview>
  }
  readonly dashboard: {
    get(options: CallOptions): Promise<Dashboard>
  }
  readonly webhooks: {
    /**
     * The created subscription where the answer shows one (its shape is not stated), else null: then the list tells.
     * `secret` stays out of every log and error.
     */
    create(
      input: { url: string; events: string[]; secret?: string },
      options: CallOptions,
    ): Promise<{ subscription: WebhookSubscription | null }>
    /** Each subscription with its secret beside it, never in it: the secret must not leave the core. */
    list(input: PageInput, options: CallOptions): Promise<Page<WebhookWithSecret>>
    test(input: { id: WebhookId | string; eventType: string }, options: CallOptions): Promise<ServiceWord>
  }
  readonly errorCodes: {
    search(input: { text: string }, options: CallOptions): Promise<ErrorCodeRecord[]>
  }
  readonly budget: RateBudgetView
  /** Host with port, for messages. */
  readonly host: string
  /** Ends all calls, waiting or under way, with SIGNED_OUT (a POST under way: OUTCOME_UNKNOWN). Later calls are refused. */
  close(): void
}
