/** One way to bring a public address to the listener: what it is called, its commands or settings, and what to know of it. */
export interface TunnelExample {
  title: string
  about: string
  text: string
}

/** Examples for the listener at `listenerUrl`, ready to be copied. Other parts of the address are placeholders in capitals. */
export function tunnelExamples(listenerUrl: string): TunnelExample[] {
  const { port, pathname } = new URL(listenerUrl)
  return [
    {
      title: 'nginx on a server of yours, with ssh',
      about:
        'The server takes https from the service; ssh brings it to this computer. The body and the header X-Webhook-Signature must pass unchanged, which they do here.',
      text: `# on the server, inside server { listen 443 ssl; … }
location = ${pathname} {
    proxy_pass http://127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_read_timeout 10s;
    client_max_body_size 2m;
}

# on this computer; keep it running
ssh -N -o ServerAliveInterval=15 -o ExitOnForwardFailure=yes \\
    -R 127.0.0.1:${port}:127.0.0.1:${port} USER@SERVER

# subscribe
https://SERVER${pathname}`,
    },
    {
      title: 'cloudflared, without a server',
      about:
        'A quick tunnel has a new address at each start, so it is for trying out. A named tunnel keeps its address.',
      text: `cloudflared tunnel --url http://127.0.0.1:${port}

# subscribe the address it prints, with the path
https://WORDS.trycloudflare.com${pathname}`,
    },
    {
      title: 'ssh alone, to a server that may open ports',
      about:
        'Plain http on the way to the server: anyone in between can read the events. For tests only. The server needs GatewayPorts in its sshd_config.',
      text: `ssh -N -R 0.0.0.0:8080:127.0.0.1:${port} USER@SERVER

# subscribe
http://SERVER:8080${pathname}`,
    },
  ]
}
