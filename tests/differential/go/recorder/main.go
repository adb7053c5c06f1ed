// Copyright (c) 2026, modelops.inference contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// Recorder stands in front of an API server and writes down, as lines of JSON, what its client writes and what becomes of it.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"time"
)

// Entry is one write as it was sent. A body that is no JSON is left out.
type Entry struct {
	Time    time.Time       `json:"time"`
	Agent   string          `json:"agent"`
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Query   string          `json:"query,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
	Code    int             `json:"code"`
	Refusal json.RawMessage `json:"refusal,omitempty"`
}

type ledger struct {
	lock sync.Mutex
	file *os.File
}

func (l *ledger) add(entry Entry) {
	line, err := json.Marshal(entry)
	if err != nil {
		log.Printf("%s %s: %v", entry.Method, entry.Path, err)
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		log.Fatal(err)
	}
}

func transport(authority string) *http.Transport {
	pem, err := os.ReadFile(authority)
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		MaxIdleConnsPerHost: 64,
	}
}

func main() {
	listen := flag.String("listen", "", "address to listen on")
	server := flag.String("server", "", "URL of the API server")
	authority := flag.String("authority", "", "file with its certificate authority")
	token := flag.String("token", "", "token of the client")
	output := flag.String("output", "", "file for the lines")
	flag.Parse()
	target, err := url.Parse(*server)
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.OpenFile(*output, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	book := &ledger{file: file}
	proxy := &httputil.ReverseProxy{
		Transport:     transport(*authority),
		FlushInterval: -1,
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(target)
			request.Out.Header.Set("Authorization", "Bearer "+*token)
		},
	}
	log.Fatal(http.ListenAndServe(*listen, http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if in.Method == http.MethodGet {
			proxy.ServeHTTP(out, in)
			return
		}
		serveWrite(proxy, book, out, in)
	})))
}

func serveWrite(proxy *httputil.ReverseProxy, book *ledger, out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	in.Body = io.NopCloser(bytes.NewReader(body))
	entry := Entry{Time: time.Now(), Agent: in.UserAgent(), Method: in.Method, Path: in.URL.Path, Query: in.URL.RawQuery}
	if json.Valid(body) {
		entry.Body = json.RawMessage(body)
	}
	answer := &witness{ResponseWriter: out, code: http.StatusOK}
	proxy.ServeHTTP(answer, in)
	entry.Code = answer.code
	if answer.code >= 400 && json.Valid(answer.text.Bytes()) {
		entry.Refusal = json.RawMessage(answer.text.Bytes())
	}
	book.add(entry)
}

// witness keeps the code and, of a refusal, the text.
type witness struct {
	http.ResponseWriter
	code int
	text bytes.Buffer
}

func (w *witness) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

func (w *witness) Write(data []byte) (int, error) {
	if w.code >= 400 {
		w.text.Write(data)
	}
	return w.ResponseWriter.Write(data)
}

func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }
