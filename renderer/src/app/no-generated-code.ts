import * as z from 'zod'

// zod tries out generated code, which the page’s policy blocks and would report at each start. Imported first, because schemas read this
// when they are created.
z.config({ jitless: true })
