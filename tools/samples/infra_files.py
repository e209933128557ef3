"""The files of `infra`, the invented shop's machines."""

from __future__ import annotations

from .prose import code

BACKEND = code("""
    terraform {
      required_version = ">= 1.13"
      backend "s3" {
        bucket         = "harbor-tfstate"
        key            = "shop/terraform.tfstate"
        region         = "eu-south-2"
        dynamodb_table = "harbor-tflock"
      }
    }
""")

MAIN = code("""
    resource "aws_instance" "web" {
      count         = 2
      ami           = var.ami
      instance_type = "t4g.medium"
      tags          = { Name = "web-${count.index}", Role = "web" }
    }

    resource "aws_lb" "shop" {
      name               = "shop"
      load_balancer_type = "application"
      subnets            = var.subnets
    }
""")

NGINX = code("""
    server {
        listen 443 ssl;
        http2 on;
        server_name {{ server_name }};

        add_header X-Frame-Options DENY;
        add_header Strict-Transport-Security "max-age=300";

        location / {
            proxy_pass http://127.0.0.1:8000;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
    }
""")

BACKUP = code("""
    - name: Nightly backup
      hosts: db
      tasks:
        - name: Dump the database
          ansible.builtin.command: pg_dump --format=custom --file=/var/backups/shop.dump shop
        - name: Copy the dump to the store
          ansible.builtin.command: rclone copy /var/backups/shop.dump store:backups/
""")

CI = code("""
    name: ci
    on:
      pull_request:
      push:
        branches: [main]
    jobs:
      plan:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v5
          - uses: hashicorp/setup-terraform@v3
          - run: terraform init
          - run: terraform plan -lock-timeout=60s
      lint:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v5
          - run: pip install ansible-lint
          - run: ansible-lint
""")

INFRA = {
    ".github/workflows/ci.yml": CI,
    "ansible/backup.yml": BACKUP,
    "ansible/roles/nginx/templates/site.conf.j2": NGINX,
    "terraform/backend.tf": BACKEND,
    "terraform/main.tf": MAIN,
}
ROOT = "/home/ana/code/infra"
GITHUB = "harbor-example/infra"
